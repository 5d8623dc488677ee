#include "mpi/mpi_transport.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <future>
#include <numeric>

#include "mpi/thread_for_test.h"

namespace lockstep::mpi {
namespace {

using ::testing::Each;

std::unique_ptr<comm::Transport> on_one_host() {
  return connect(shared_thread_for_test(), {});
}

std::unique_ptr<comm::Transport> on_hosts_of_their_own() {
  return connect(shared_thread_for_test(), {}, fmt::format("host {}", rank_for_test()));
}

std::span<float> floats(std::span<std::byte> bytes) {
  return {reinterpret_cast<float*>(bytes.data()), bytes.size() / sizeof(float)};
}

TEST(MpiTransport, KnowsWhoIsWhere) {
  const auto transport = on_one_host();
  EXPECT_EQ(transport->rank(), rank_for_test());
  EXPECT_EQ(transport->world(), world_for_test());
  EXPECT_THAT(transport->topology().host_of, Each(0));
  EXPECT_EQ(transport->wire(), nullptr);
}

TEST(MpiTransport, GathersEverybodysTexts) {
  const auto transport = on_one_host();
  std::vector<std::string> expected;
  for (int rank = 0; rank < world_for_test(); ++rank) expected.push_back(std::string(rank, 'x'));
  EXPECT_EQ(transport->all_gather(std::string(rank_for_test(), 'x')), expected);
}

TEST(MpiTransport, SharesMemoryBetweenProcesses) {
  const auto transport = on_one_host();
  transport->share(1 << 20);
  const int next = (rank_for_test() + 1) % world_for_test();
  floats(transport->memory_of(next))[3] = static_cast<float>(next);
  transport->all_gather("written");
  EXPECT_EQ(floats(transport->memory_of(rank_for_test()))[3], static_cast<float>(rank_for_test()));
  transport->all_gather("read");
}

TEST(MpiTransport, SumsWithTheVendorsCollective) {
  const auto transport = on_one_host();
  constexpr std::size_t kSize = 100'003;
  transport->share(kSize * sizeof(float));
  const std::span<float> mine = floats(transport->memory_of(rank_for_test()));
  for (std::size_t i = 0; i < kSize; ++i) {
    mine[i] = static_cast<float>(i % 1000) * static_cast<float>(rank_for_test() + 1);
  }
  ASSERT_NE(transport->vendor(), nullptr);
  transport->vendor()->all_reduce(mine);
  const int factors = world_for_test() * (world_for_test() + 1) / 2;
  for (std::size_t i = 0; i < kSize; ++i) {
    ASSERT_EQ(mine[i], static_cast<float>(i % 1000) * static_cast<float>(factors));
  }
}

TEST(MpiTransport, CarriesFloatsBetweenHosts) {
  const auto transport = on_hosts_of_their_own();
  std::vector<int> hosts(world_for_test());
  std::iota(hosts.begin(), hosts.end(), 0);
  EXPECT_EQ(transport->topology().host_of, hosts);
  if (world_for_test() == 1) {
    EXPECT_EQ(transport->wire(), nullptr);
    return;
  }
  ASSERT_NE(transport->wire(), nullptr);
  // Everybody to everybody.
  const std::vector<float> mine(70'000, static_cast<float>(rank_for_test() + 1));
  std::vector<float> sums(70'000);
  std::atomic<int> open = 2 * (world_for_test() - 1);
  transport->wire()->post([&] {
    for (int peer = 0; peer < world_for_test(); ++peer) {
      if (peer == rank_for_test()) continue;
      transport->wire()->send(peer, 1, mine, comm::Encoding::fp32, [&] { --open; });
      transport->wire()->receive(peer, 1, sums, /*add=*/true, [&] { --open; });
    }
  });
  while (open > 0) {
    transport->check();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  const int total = world_for_test() * (world_for_test() + 1) / 2;
  EXPECT_THAT(sums, Each(static_cast<float>(total - rank_for_test() - 1)));
  EXPECT_EQ(transport->wire()->bytes_sent(), 280'000U * (world_for_test() - 1));
}

// As an asynchronous server awaits gradients of workers that are done.
TEST(MpiTransport, EndsInOrderWhateverIsStillAwaited) {
  if (world_for_test() == 1) return;
  std::vector<float> nothing(1000);
  {
    const auto transport = on_hosts_of_their_own();
    std::promise<void> awaited;
    transport->wire()->post([&] {
      const int peer = (rank_for_test() + 1) % world_for_test();
      transport->wire()->receive(peer, 7, nothing, /*add=*/false, [] { ADD_FAILURE(); });
      awaited.set_value();
    });
    awaited.get_future().get();
  }
  // MPI has forgotten it: the next message is somebody else's.
  const auto transport = on_hosts_of_their_own();
  const int next = (rank_for_test() + 1) % world_for_test();
  const int last = (rank_for_test() + world_for_test() - 1) % world_for_test();
  const std::vector<float> ones(1000, 1.0F);
  std::vector<float> received(1000);
  std::promise<void> arrived;
  transport->wire()->post([&] {
    transport->wire()->send(last, 7, ones, comm::Encoding::fp32, [] {});
    transport->wire()->receive(next, 7, received, /*add=*/false, [&] { arrived.set_value(); });
  });
  arrived.get_future().get();
  EXPECT_EQ(received, ones);
  EXPECT_THAT(nothing, Each(0.0F));
}

}  // namespace
}  // namespace lockstep::mpi
