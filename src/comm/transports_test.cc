#include "comm/transports.h"

#include <gtest/gtest.h>

#include <future>

#include "comm/tcp.h"

namespace lockstep::comm {
namespace {

class EveryTransport : public ::testing::TestWithParam<TransportRow> {};

TEST_P(EveryTransport, ConnectsAllRanksOfOneProcess) {
  ConnectOptions options = {.ranks = {0, 1, 2}, .world = 3};
  options.coordinator = fmt::format("127.0.0.1:{}", Listener("127.0.0.1:0").port());
  auto ranks = GetParam().connect(options);
  ASSERT_EQ(ranks.size(), 3U);
  std::vector<std::future<std::vector<std::string>>> gathered;
  for (int rank = 0; rank < 3; ++rank) {
    EXPECT_EQ(ranks[rank]->rank(), rank);
    gathered.push_back(std::async(std::launch::async, [transport = std::move(ranks[rank])] {
      return transport->all_gather(std::to_string(transport->rank()));
    }));
  }
  for (auto& texts : gathered) {
    EXPECT_EQ(texts.get(), (std::vector<std::string>{"0", "1", "2"}));
  }
}

INSTANTIATE_TEST_SUITE_P(Transports, EveryTransport,
                         ::testing::ValuesIn(transports().begin(), transports().end()),
                         [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace lockstep::comm
