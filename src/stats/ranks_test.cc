#include "stats/ranks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stats/summary.h"

namespace lockstep::stats {
namespace {

using testing::DoubleNear;

// Steps of `seconds`, of which the rank waits `waiting`.
RankSamples rank_of(std::vector<double> waiting, double seconds) {
  RankSamples rank{.host = "host", .timed = {}, .bytes_sent = 8, .bytes_received = 4};
  for (std::size_t i = 0; i < waiting.size(); ++i) {
    record::Sample sample;
    sample.step = static_cast<std::int64_t>(i);
    sample.begin = static_cast<double>(i) * seconds;
    sample.end = sample.begin + seconds;
    sample.waiting = waiting[i];
    sample.phases[static_cast<std::size_t>(record::Phase::exchange)] = waiting[i];
    rank.timed.push_back(sample);
  }
  return rank;
}

TEST(Ranks, CountsWhoArrivedLast) {
  const std::vector<RankSamples> ranks = {rank_of({0.1, 0.2, 0}, 1), rank_of({0, 0, 0.3}, 1)};
  const std::vector<RankSummary> summaries = summarise_ranks(ranks);
  EXPECT_EQ(summaries[0].arrived_last, 1);
  EXPECT_EQ(summaries[1].arrived_last, 2);
  EXPECT_THAT(summaries[0].waiting, DoubleNear(0.1, 1e-12));
  EXPECT_THAT(summaries[0].step, DoubleNear(1, 1e-12));
  EXPECT_EQ(summaries[0].bytes_sent, 8);
}

TEST(Ranks, NamesAStragglerAndWhatItCosts) {
  const auto always = [](double waiting) { return rank_of(std::vector(10, waiting), 1); };
  const auto found = straggler(std::vector{always(0.1), always(0), always(0.3)});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->rank, 1);
  EXPECT_EQ(found->arrived_last, 10);
  EXPECT_EQ(found->steps, 10);
  EXPECT_THAT(found->cost, DoubleNear(0.2, 1e-12));
}

TEST(Ranks, NamesNobodyWhereRanksTakeTurnsOrHardlyWait) {
  EXPECT_FALSE(straggler(std::vector{rank_of({0.1, 0, 0.1, 0}, 1), rank_of({0, 0.1, 0, 0.1}, 1)}));
  EXPECT_FALSE(
      straggler(std::vector{rank_of(std::vector(20, 0.001), 1), rank_of(std::vector(20, 0.0), 1)}));
  EXPECT_FALSE(straggler(std::vector{rank_of({0, 0}, 1)}));
}

TEST(Ranks, NamesNobodyByChance) {
  // One of two ranks is last four times in a row in every eighth run of four steps.
  EXPECT_FALSE(straggler(std::vector{rank_of({0.1, 0.1, 0.1, 0.1}, 1), rank_of({0, 0, 0, 0}, 1)}));
}

TEST(Ranks, PoolSpeedsOfRanksThatDoNotWaitForEachOther) {
  const std::vector<RankSamples> ranks = {rank_of({0, 0}, 1), rank_of({0, 0}, 0.5)};
  const std::vector<record::Sample> series = pooled(ranks);
  ASSERT_EQ(series.size(), 2);
  // 1 + 2 batches a second: two batches take 2/3 s.
  for (const double seconds : step_times(series)) EXPECT_THAT(seconds, DoubleNear(2.0 / 3, 1e-12));
}

}  // namespace
}  // namespace lockstep::stats
