#include "comm/executor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <future>

#include "base/clock.h"
#include "comm/fake_hosts.h"
#include "comm/summing_rank_for_test.h"

namespace lockstep::comm {
namespace {

using testing::HasSubstr;

// Odd lengths, gaps between chunks, and one that falls into several pieces.
const std::vector<Range> kChunks = {{0, 1}, {1, 38}, {40, 41}, {64, 1064}, {1100, 21107}};
const std::vector<Range> kOneChunk = {{3, 24}};
constexpr std::size_t kGrain = 4;

SummingRank::ExchangeOf all_reduce(const Topology& topology, Algorithm* algorithm) {
  return [=](Range chunk, int rank) {
    return Exchange{algorithm(topology, rank, chunk, kGrain), true};
  };
}

// The last rank owns all and contributes nothing.
SummingRank::ExchangeOf dedicated_server(int world) {
  std::vector<int> contributors;
  for (int rank = 0; rank + 1 < world; ++rank) contributors.push_back(rank);
  return [=](Range chunk, int rank) {
    return Exchange{to_owner(contributors, world - 1, rank, chunk), rank + 1 < world};
  };
}

Topology ranks_on(std::vector<int> host_of) {
  return {std::move(host_of)};
}

class ExecutorOfEveryAlgorithm : public testing::TestWithParam<AlgorithmRow> {};

TEST_P(ExecutorOfEveryAlgorithm, LeavesAllSumsOnAllRanksStepAfterStep) {
  for (int world = 1; world <= 5; ++world) {
    const auto ranks = connect_threads(world);
    on_every_rank(ranks, [&](Transport& transport) {
      SummingRank rank(transport, kChunks, all_reduce(transport.topology(), GetParam().make));
      for (int step = 0; step < 4; ++step) {
        rank.step();
        rank.expect_sums(world);
        EXPECT_EQ(rank.executor().figure(), static_cast<double>(rank.all_elements()));
      }
    });
  }
}

TEST_P(ExecutorOfEveryAlgorithm, DoesSoWhenRanksPollForEachOther) {
  const auto ranks = connect_threads(2);
  on_every_rank(ranks, [&](Transport& transport) {
    SummingRank rank(transport, kChunks, all_reduce(transport.topology(), GetParam().make), true);
    for (int step = 0; step < 20; ++step) {
      rank.step();
      rank.expect_sums(2);
    }
  });
}

TEST_P(ExecutorOfEveryAlgorithm, LeavesAllSumsOnAllRanksOfSeveralHosts) {
  for (const Topology& topology :
       {ranks_on({0, 1}), ranks_on({0, 1, 2}), ranks_on({0, 0, 1, 1}), ranks_on({0, 1, 0, 1, 1})}) {
    const FakeHosts world(topology);
    on_every_rank(world.ranks(), [&](Transport& transport) {
      SummingRank rank(transport, kChunks, all_reduce(topology, GetParam().make));
      for (int step = 0; step < 4; ++step) {
        rank.step();
        rank.expect_sums(topology.world());
        EXPECT_EQ(rank.executor().figure(), static_cast<double>(rank.all_elements()));
      }
    });
  }
}

TEST_P(ExecutorOfEveryAlgorithm, KeepsSumsIn32BitsWhateverTravels) {
  const Topology topology = ranks_on({0, 0, 1, 1, 1});
  for (const Encoding encoding : {Encoding::fp16, Encoding::bf16}) {
    const FakeHosts world(topology);
    on_every_rank(world.ranks(), [&](Transport& transport) {
      SummingRank rank(transport, kChunks, all_reduce(topology, GetParam().make), false, encoding);
      for (int step = 0; step < 3; ++step) {
        rank.step();
        rank.expect_sums(topology.world());
      }
    });
  }
}

// Of the schedules of one step, in elements.
struct Moved {
  Traffic all, gradients_between_hosts, between_hosts;
};
Moved moved(const Topology& topology, int rank, Algorithm* algorithm) {
  const auto add = [](Traffic& sum, const Traffic& more) {
    sum.sent += more.sent;
    sum.received += more.received;
  };
  Moved moved;
  for (const Range& chunk : kChunks) {
    const Collective collective = algorithm(topology, rank, chunk, kGrain);
    const Traffic outside = traffic(between_hosts(topology, rank, collective.reduce));
    add(moved.all, traffic(collective.reduce));
    add(moved.all, traffic(collective.distribute));
    add(moved.gradients_between_hosts, outside);
    add(moved.between_hosts, outside);
    add(moved.between_hosts, traffic(between_hosts(topology, rank, collective.distribute)));
  }
  return moved;
}

TEST_P(ExecutorOfEveryAlgorithm, CountsTheBytesOfItsSchedule) {
  constexpr int kSteps = 3;
  for (int world = 1; world <= 5; ++world) {
    const auto ranks = connect_threads(world);
    on_every_rank(ranks, [&](Transport& transport) {
      const Topology& topology = transport.topology();
      SummingRank rank(transport, kChunks, all_reduce(topology, GetParam().make));
      for (int step = 0; step < kSteps; ++step) rank.step();
      const Traffic expected = moved(topology, transport.rank(), GetParam().make).all;
      EXPECT_EQ(rank.executor().bytes_sent(), kSteps * 4 * expected.sent);
      EXPECT_EQ(rank.executor().bytes_received(), kSteps * 4 * expected.received);
    });
  }
}

TEST_P(ExecutorOfEveryAlgorithm, CountsHalfTheBytesOfGradientsThatAreEncoded) {
  const Topology topology = ranks_on({0, 0, 1});
  const FakeHosts world(topology);
  on_every_rank(world.ranks(), [&](Transport& transport) {
    SummingRank rank(transport, kChunks, all_reduce(topology, GetParam().make), false,
                     Encoding::bf16);
    rank.step();
    const Moved expected = moved(topology, transport.rank(), GetParam().make);
    EXPECT_EQ(rank.executor().bytes_sent(),
              4 * expected.all.sent - 2 * expected.gradients_between_hosts.sent);
    EXPECT_EQ(rank.executor().bytes_received(),
              4 * expected.all.received - 2 * expected.gradients_between_hosts.received);
    transport.barrier();  // all have received everything
    EXPECT_EQ(world.wire(transport.rank()).bytes_received(),
              4 * expected.between_hosts.received - 2 * expected.gradients_between_hosts.received);
  });
}

INSTANTIATE_TEST_SUITE_P(Comm, ExecutorOfEveryAlgorithm,
                         testing::ValuesIn(algorithms().begin(), algorithms().end()),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(Executor, LetsAServerSumUpWhatItHasNoShareIn) {
  for (int world = 2; world <= 5; ++world) {
    const auto ranks = connect_threads(world);
    on_every_rank(ranks, [&](Transport& transport) {
      SummingRank rank(transport, kChunks, dedicated_server(world));
      for (int step = 0; step < 4; ++step) {
        rank.step();
        rank.expect_sums(world - 1);
      }
    });
  }
}

TEST(Executor, LetsAServerOnAnotherHostDoTheSame) {
  const FakeHosts world(ranks_on({0, 1, 2}));
  on_every_rank(world.ranks(), [&](Transport& transport) {
    SummingRank rank(transport, kChunks, dedicated_server(3));
    for (int step = 0; step < 4; ++step) {
      rank.step();
      rank.expect_sums(2);
    }
  });
}

// Until the rank sleeps: it has found nothing to do.
void until_asleep(const Window& window) {
  while (window.bell->sleepers == 0) std::this_thread::yield();
}

// By rank, for all to see.
class Windows {
 public:
  explicit Windows(int world) : windows_(static_cast<std::size_t>(world)) {}
  void show(int rank, const Window& window) { windows_[static_cast<std::size_t>(rank)] = window; }
  const Window& of(int rank) const { return windows_[static_cast<std::size_t>(rank)]; }

 private:
  std::vector<Window> windows_;
};

TEST(Executor, WaitsForARankThatIsLate) {
  constexpr int kLate = 1;
  for (const AlgorithmRow& row : algorithms()) {
    const auto ranks = connect_threads(3);
    Windows windows(3);
    on_every_rank(ranks, [&](Transport& transport) {
      SummingRank rank(transport, kChunks, all_reduce(transport.topology(), row.make));
      windows.show(transport.rank(), rank.window_of_mine());
      transport.barrier();
      const double begin = now();
      rank.begin();
      if (transport.rank() == kLate) {
        until_asleep(windows.of(0));
        until_asleep(windows.of(2));
      }
      rank.produce_all();
      rank.finish();
      rank.expect_sums(3);
      double waiting = 0, last = begin;
      for (const Interval& wait : rank.executor().waited()) {
        EXPECT_LE(last, wait.begin);
        EXPECT_LE(wait.begin, wait.end);
        last = wait.end;
        waiting += wait.seconds();
      }
      EXPECT_LE(last, now());
      EXPECT_TRUE(waiting > 0 || transport.rank() == kLate) << row.name;
      EXPECT_EQ(rank.executor().take_times().waiting, waiting);
    });
  }
}

TEST(Executor, WakesOnlyThoseThatExchangeTheChunk) {
  constexpr int kWorld = 8, kSteps = 5;
  const auto ranks = connect_threads(kWorld);
  Windows windows(kWorld);
  on_every_rank(ranks, [&](Transport& transport) {
    // Pairs that have nothing to do with each other.
    const int first = transport.rank() / 2 * 2;
    SummingRank rank(transport, kChunks, [&](Range chunk, int who) {
      const std::array<int, 2> pair = {first, first + 1};
      return Exchange{.collective = to_owner(pair, first, who, chunk)};
    });
    windows.show(transport.rank(), rank.window_of_mine());
    transport.barrier();
    for (int step = 0; step < kSteps; ++step) {
      if (first == 0) rank.step();
    }
    transport.barrier();
    const std::uint32_t rings = windows.of(transport.rank()).bell->rings;
    EXPECT_EQ(rings > 0, first == 0) << "rank " << transport.rank();
  });
}

// As backward does between two layers.
template <typename Condition>
void progress_until(SummingRank& rank, const Condition& condition) {
  const double deadline = now() + 30;
  while (!condition() && now() < deadline) {
    rank.executor().progress();
    std::this_thread::yield();
  }
  EXPECT_TRUE(condition());
}

TEST(Executor, MovesWhatItCanBetweenTheLayers) {
  const auto ranks = connect_threads(2);
  on_every_rank(ranks, [&](Transport& transport) {
    SummingRank rank(transport, kChunks, all_reduce(transport.topology(), direct));
    rank.begin();
    rank.produce(0);
    rank.produce(1);
    const double both = static_cast<double>(kChunks[0].size() + kChunks[1].size());
    progress_until(rank, [&] { return rank.executor().figure() == both; });
    for (int chunk = 2; chunk < static_cast<int>(kChunks.size()); ++chunk) rank.produce(chunk);
    rank.finish();
    rank.expect_sums(2);
  });
}

// The wire's thread hears of its own host's ranks between the layers, too, not only at the end.
TEST(Executor, LetsTheWireGoOnBetweenTheLayers) {
  const Topology topology = ranks_on({0, 0, 1, 1});
  const FakeHosts world(topology);
  on_every_rank(world.ranks(), [&](Transport& transport) {
    SummingRank rank(transport, kOneChunk, all_reduce(topology, hierarchical));
    for (int step = 0; step < 5; ++step) {
      rank.begin();
      rank.produce_all();
      progress_until(rank, [&] { return rank.elements() == rank.all_elements(); });
      rank.finish();
      rank.expect_sums(4);
    }
  });
}

TEST(Executor, SaysWhenAChunkWasThereAndWhenItWasDone) {
  const auto ranks = connect_threads(2);
  on_every_rank(ranks, [&](Transport& transport) {
    SummingRank rank(transport, kChunks, all_reduce(transport.topology(), ring));
    const double begin = now();
    rank.step();
    double last = begin;
    for (int chunk = 0; chunk < static_cast<int>(kChunks.size()); ++chunk) {
      EXPECT_GE(rank.executor().produced_at(chunk), last);
      EXPECT_GE(rank.executor().done_at(chunk), rank.executor().produced_at(chunk));
      EXPECT_LE(rank.executor().done_at(chunk), now());
      last = rank.executor().produced_at(chunk);
    }
  });
}

TEST(Executor, ChargesTheUpdateOfARankThatIsAloneToTheUpdate) {
  const auto ranks = connect_threads(1);
  SummingRank rank(*ranks.front(), kChunks, all_reduce(ranks.front()->topology(), direct));
  rank.step();
  const ExchangeTimes times = rank.executor().take_times();
  EXPECT_GT(times.updating, 0);
  EXPECT_EQ(times.moving, 0);
  EXPECT_EQ(times.waiting, 0);
}

// All ranks but 1 wait for what only its failure ends.
void expect_end_by_failure_of_rank_1(std::span<const std::unique_ptr<Transport>> ranks,
                                     Algorithm* algorithm) {
  const int world = static_cast<int>(ranks.size());
  Windows windows(world);
  std::atomic<double> failed_at = 0;
  on_every_rank(ranks, [&](Transport& transport) {
    SummingRank rank(transport, kChunks, all_reduce(transport.topology(), algorithm));
    windows.show(transport.rank(), rank.window_of_mine());
    transport.barrier();
    if (transport.rank() == 1) {
      for (int other = 0; other < world; ++other) {
        if (other != 1) until_asleep(windows.of(other));
      }
      transport.at_step(7);
      failed_at = now();
      transport.fail({ExitCode::rank_failed, "out of luck", "try again"});
      transport.fail({ExitCode::rank_failed, "a second thought"});
      return;
    }
    try {
      rank.step();
      ADD_FAILURE() << "rank " << transport.rank() << " did not notice";
    } catch (const Error& error) {
      EXPECT_LT(now() - failed_at, 1);
      EXPECT_EQ(error.code(), ExitCode::rank_failed);
      EXPECT_THAT(error.what(), HasSubstr("rank 1 on "));
      EXPECT_THAT(error.what(), HasSubstr("at step 7: out of luck"));
      EXPECT_EQ(error.hint(), "try again");
    }
  });
}

TEST(Executor, EndsAllWhoWaitWhenARankFails) {
  for (const AlgorithmRow& row : algorithms()) {
    expect_end_by_failure_of_rank_1(connect_threads(4), row.make);
  }
}

TEST(Executor, EndsAllWhoWaitForOtherHostsWhenARankFails) {
  for (const AlgorithmRow& row : algorithms()) {
    const FakeHosts world(ranks_on({0, 0, 1, 1}));
    expect_end_by_failure_of_rank_1(world.ranks(), row.make);
  }
}

TEST(Executor, CanEndWhileTheWireIsBusy) {
  const FakeHosts world(ranks_on({0, 1}));
  on_every_rank(world.ranks(), [&](Transport& transport) {
    {
      SummingRank rank(transport, kChunks, all_reduce(transport.topology(), ring));
      rank.begin();
      // The other rank never gets what it waits for.
      if (transport.rank() == 0) rank.produce_all();
    }
    transport.barrier();  // memory is the transport's: it outlives what the wire still reads
  });
}

TEST(Executor, CanEndWhileTheWireIsStuckIfARankIsLost) {
  std::promise<void> end_of_test;
  FakeHosts world(ranks_on({0, 1}));
  on_every_rank(world.ranks(), [&](Transport& transport) {
    SummingRank rank(transport, kChunks, all_reduce(transport.topology(), ring));
    transport.barrier();
    transport.fail({ExitCode::rank_failed, "gone"});
    if (transport.rank() != 0) return;
    // As a library would be that waits for the one who is lost.
    transport.wire()->post([stuck = end_of_test.get_future().share()] { stuck.wait(); });
  });
  end_of_test.set_value();
}

}  // namespace
}  // namespace lockstep::comm
