// Bit for bit, whatever the network: ranks in step train like one thread that runs their batches
// one after the other and executes the same schedules with plain loops.
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <optional>
#include <tuple>

#include "tests/equivalence/reference.h"
#include "tests/equivalence/strategies.h"

namespace lockstep::equivalence {
namespace {

using Hosts = std::vector<int>;

class EveryStrategy : public testing::TestWithParam<spec::StrategyRow> {
 protected:
  void expect_bit_for_bit(OnRanks& on_ranks, const spec::Trial& trial, const Hosts& host_of,
                          int servers = 0, const std::string& all_reduce = "auto") {
    SCOPED_TRACE(fmt::format("{} on hosts {}, {} servers, all-reduce {}", trial.model,
                             fmt::join(host_of, ","), servers, all_reduce));
    const train::Site site = site_of(GetParam(), {host_of}, servers, all_reduce);
    const std::vector<Trained> workers = train_on(on_ranks, trial, site);
    if (!reference_) reference_.emplace(trial);
    expect_same(workers, reference_->train(site, workers.front().chunks));
    if (!GetParam().averages) return;
    for (const Trained& worker : workers) {
      EXPECT_TRUE(worker.stored == workers.front().stored) << "ranks differ";
    }
  }

  void expect_bit_for_bit_everywhere(OnRanks& on_ranks, std::span<const Hosts> worlds,
                                     std::span<const Hosts> worlds_with_servers) {
    const spec::Trial trial = trial_of("mnist_mlp", 4);
    for (const Hosts& host_of : worlds) {
      for (const std::string& all_reduce : all_reduces(GetParam())) {
        expect_bit_for_bit(on_ranks, trial, host_of, 0, all_reduce);
      }
    }
    if (!GetParam().served) return;
    for (const Hosts& host_of : worlds_with_servers) {
      for (const int servers : {1, 2}) expect_bit_for_bit(on_ranks, trial, host_of, servers);
    }
  }

 private:
  std::optional<Reference> reference_;  // of the one trial of a test
};

TEST_P(EveryStrategy, TrainsLikeOneThreadThatExecutesItsSchedules) {
  expect_bit_for_bit_everywhere(
      in_memory,
      std::vector<Hosts>{
          {0}, {0, 0}, {0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0, 0}, {0, 1}, {0, 0, 1, 1, 2}},
      std::vector<Hosts>{{0, 0, 0, 0}, {0, 1, 1, 2}});
}

TEST_P(EveryStrategy, DoesSoOverTcp) {
  expect_bit_for_bit_everywhere(
      over_tcp,
      std::vector<Hosts>{{0}, {0, 1}, {0, 1, 2}, {0, 1, 2, 3}, {0, 1, 2, 3, 4}, {0, 0, 1, 1, 2}},
      std::vector<Hosts>{{0, 1, 1, 2}});
}

TEST_P(EveryStrategy, DoesSoWithParametersOfManyChunks) {
  expect_bit_for_bit(in_memory, trial_of("lenet", 2), {0, 0, 1});
}

TEST_P(EveryStrategy, DoesSoWithBatchNorm) {
  expect_bit_for_bit(in_memory, trial_of("resnet20", 2), {0, 0, 1});
}

INSTANTIATE_TEST_SUITE_P(Equivalence, EveryStrategy, testing::ValuesIn(synchronous_strategies()),
                         [](const auto& row) { return std::string(row.param.name); });

// Only one of them is tried with every all-reduce: there is nothing else to the others.
TEST(StrategiesThatAllReduce, DifferInNameAlone) {
  const spec::StrategyRow& one = spec::find_strategy("replicated");
  for (const char* name : {"distributed_all_reduce", "collective_all_reduce"}) {
    const spec::StrategyRow& other = spec::find_strategy(name);
    EXPECT_EQ(other.route, one.route);
    EXPECT_EQ(std::tie(other.averages, other.in_step, other.served),
              std::tie(one.averages, one.in_step, one.served));
  }
}

TEST(Equivalence, OfAnIndependentRankIsARunAlone) {
  const spec::Trial trial = trial_of("lenet", 2);
  // Epochs count global batches: a rate that does not change makes runs of any world alike.
  const spec::StrategyRow& row = spec::find_strategy("independent");
  const Trained alone = train_on(in_memory, trial, site_of(row, {{0}})).front();
  const Trained beside = train_on(in_memory, trial, site_of(row, {{0, 0, 0}})).front();
  EXPECT_EQ(beside.losses, alone.losses);
  EXPECT_TRUE(beside.stored == alone.stored);
}

}  // namespace
}  // namespace lockstep::equivalence
