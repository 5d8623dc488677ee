#include "comm/transports.h"

#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "base/clock.h"
#include "comm/tcp.h"

namespace lockstep::comm {
namespace {

class EveryTransport : public ::testing::TestWithParam<TransportRow> {};

std::vector<std::unique_ptr<Transport>> connect_three(const TransportRow& row) {
  ConnectOptions options = {.ranks = {0, 1, 2}, .world = 3};
  options.coordinator = fmt::format("127.0.0.1:{}", Listener("127.0.0.1:0").port());
  return row.connect(options);
}

TEST_P(EveryTransport, ConnectsAllRanksOfOneProcess) {
  auto ranks = connect_three(GetParam());
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

TEST_P(EveryTransport, TellsAllRanksThatOneWishesTheEnd) {
  const auto ranks = connect_three(GetParam());
  for (const auto& rank : ranks) EXPECT_FALSE(rank->end_wished());
  ranks[1]->wish_end();
  for (const auto& rank : ranks) {
    const double deadline = now() + 30;
    while (!rank->end_wished() && now() < deadline) std::this_thread::yield();
    EXPECT_TRUE(rank->end_wished()) << "rank " << rank->rank();
  }
}

INSTANTIATE_TEST_SUITE_P(Transports, EveryTransport,
                         ::testing::ValuesIn(transports().begin(), transports().end()),
                         [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace lockstep::comm
