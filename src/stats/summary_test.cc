#include "stats/summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stats/generated_series.h"

namespace lockstep::stats {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Steps of the given times, one behind the other, a quarter of each forward, the rest backward.
std::vector<record::Sample> samples_of(const std::vector<double>& times, double origin = 0) {
  std::vector<record::Sample> samples;
  double clock = origin;
  for (const double time : times) {
    record::Sample sample{.step = static_cast<std::int64_t>(samples.size()), .begin = clock};
    clock += time;
    sample.end = clock;
    sample.phases = {0, time / 4, 3 * time / 4, 0, 0};
    samples.push_back(sample);
  }
  return samples;
}

std::vector<double> noisy(int n, double deviation, std::uint64_t seed = 1) {
  return series_of(
      n, [](int) { return 0; }, normal_noise(seed, n), deviation);
}

TEST(StepTimes, AddUpToTheWallTimeWhateverHappensBetweenTheSteps) {
  std::vector<record::Sample> samples = samples_of({1, 1, 1}, 5);
  samples[1].begin += 0.25;  // something else ran between the first and the second
  EXPECT_THAT(step_times(samples), ElementsAre(1.25, 0.75, 1));
}

TEST(Summarise, DividesTheImagesByTheWallTime) {
  const Summary summary = summarise(samples_of({1, 2, 3, 2}, 10), 16);
  EXPECT_EQ(summary.steps, 4);
  EXPECT_EQ(summary.cut, 0);
  EXPECT_DOUBLE_EQ(summary.seconds, 8);
  EXPECT_DOUBLE_EQ(summary.images_per_second, 8);
  EXPECT_DOUBLE_EQ(summary.step_mean, 2);
  EXPECT_DOUBLE_EQ(summary.step_median, 2);
  EXPECT_DOUBLE_EQ(summary.images_per_second_median, 8);
  EXPECT_DOUBLE_EQ(summary.step_p90, 2.7);
  EXPECT_DOUBLE_EQ(summary.step_p95, 2.85);
  EXPECT_DOUBLE_EQ(summary.step_p99, 2.97);
  EXPECT_THAT(summary.phases, ElementsAre(0, 0.5, 1.5, 0, 0));
  EXPECT_TRUE(summary.images_per_second_interval->contains(8));
}

TEST(Summarise, OfOneStepHasNoInterval) {
  const Summary summary = summarise(samples_of({2}), 16);
  EXPECT_EQ(summary.images_per_second, 8);
  EXPECT_FALSE(summary.images_per_second_interval);
  EXPECT_FALSE(summary.stable);
  EXPECT_THAT(warnings(summary), ElementsAre(HasSubstr("one step is too few")));
}

TEST(Summarise, OfASteadyRunIsStableAndSaysNothing) {
  const Summary summary = summarise(samples_of(noisy(100, 0.02)), 8);
  EXPECT_TRUE(summary.stable);
  EXPECT_THAT(warnings(summary), ElementsAre());
}

TEST(Summarise, LeavesOutASlowStartAndSaysSo) {
  std::vector<double> times = noisy(100, 0.01);
  for (int i = 0; i < 7; ++i) times[static_cast<std::size_t>(i)] += 1;
  const Summary summary = summarise(samples_of(times), 8);
  EXPECT_EQ(summary.cut, 7);
  EXPECT_EQ(summary.steps, 93);
  EXPECT_NEAR(summary.images_per_second, 8, 0.05);
  EXPECT_THAT(warnings(summary), ElementsAre(HasSubstr("first 7 of 100 timed steps")));
}

TEST(Summarise, KeepsASlowStartBehindAChosenWarmUpAndSaysSo) {
  std::vector<double> times = noisy(100, 0.01);
  for (int i = 0; i < 7; ++i) times[static_cast<std::size_t>(i)] += 1;
  const Summary summary = summarise(samples_of(times), 8, UnsteadyStart::kept);
  EXPECT_EQ(summary.cut, 0);
  EXPECT_EQ(summary.steps, 100);
  EXPECT_NEAR(summary.images_per_second, 8 / 1.07, 0.05);
  EXPECT_THAT(warnings(summary),
              testing::Contains(HasSubstr("first 7 of 100 timed steps differ from the steady ones "
                                          "but count")));
}

TEST(Summarise, SpeaksOfOneStepInTheSingular) {
  Summary summary;
  summary.stable = true;
  summary.cut = summary.kept_unsteady = 1;
  summary.steps = 9;
  EXPECT_THAT(warnings(summary),
              testing::ElementsAre(
                  HasSubstr("the first of 10 timed steps differs from the steady ones and is left"),
                  HasSubstr("the first of 9 timed steps differs from the steady ones but counts")));
}

TEST(Summarise, CallsADriftUnstable) {
  std::vector<double> times = noisy(100, 0.01);
  for (std::size_t i = 0; i < times.size(); ++i) times[i] += 0.003 * static_cast<double>(i);
  const Summary summary = summarise(samples_of(times), 8);
  EXPECT_FALSE(summary.stable);
  EXPECT_GT(summary.drift, 0.05);
  EXPECT_THAT(warnings(summary), testing::Contains(HasSubstr("not stable")));
}

TEST(Summarise, CallsAWideIntervalUnstable) {
  EXPECT_FALSE(summarise(samples_of(noisy(12, 0.3)), 8).stable);
}

TEST(Summarise, SaysInWordsThatASpeedHasNoUpperBound) {
  const Summary summary = summarise(samples_of({0.01, 1}), 8);
  EXPECT_THAT(warnings(summary), ElementsAre(testing::MatchesRegex(
                                     "the speed is not stable: 95 % interval from .* images/s, no "
                                     "upper bound; step time of the second half .* %")));
}

TEST(PreciseEnough, WaitsForTheIntervalToBeNarrow) {
  EXPECT_TRUE(precise_enough(samples_of(noisy(20, 0.002)), 0.01));
  EXPECT_FALSE(precise_enough(samples_of(noisy(20, 0.1)), 0.01));
  EXPECT_FALSE(precise_enough(samples_of(noisy(10, 0.0001)), 0.01)) << "10 steps are too few";
}

TEST(PreciseEnough, CountsASlowStartBehindAChosenWarmUp) {
  std::vector<double> times = noisy(30, 0.002);
  for (int i = 0; i < 3; ++i) times[static_cast<std::size_t>(i)] += 1;
  EXPECT_TRUE(precise_enough(samples_of(times), 0.01));
  EXPECT_FALSE(precise_enough(samples_of(times), 0.01, UnsteadyStart::kept));
}

TEST(PreciseEnough, LooksRarely) {
  const auto samples = samples_of(noisy(200, 0.0001));
  std::vector<std::size_t> looks;
  for (std::size_t n = 0; n <= samples.size(); ++n) {
    if (precise_enough(std::span(samples).first(n), 0.5)) looks.push_back(n);
  }
  EXPECT_THAT(looks, ElementsAre(20, 30, 45, 67, 100, 150));
}

// Stopping at a narrow interval favours intervals that are narrow by chance; looking rarely keeps
// most of their honesty.
TEST(PreciseEnough, LeavesTheIntervalMostOfItsCoverage) {
  const auto coverage = [](Noise& noise) {
    int covered = 0;
    for (std::uint64_t seed = 0; seed < 500; ++seed) {
      const auto times = series_of(
          1200, [](int) { return 0; }, noise(seed, 1200), 0.05);
      const auto samples = samples_of(times);
      std::size_t n = 1;
      while (n < samples.size() && !precise_enough(std::span(samples).first(n), 0.01)) ++n;
      const Summary summary = summarise(std::span(samples).first(n), 1);
      covered += summary.images_per_second_interval->contains(1) ? 1 : 0;
    }
    return covered / 5.0;
  };
  EXPECT_GE(coverage(normal_noise), 88);
  EXPECT_GE(coverage(ar1_noise), 85);
}

}  // namespace
}  // namespace lockstep::stats
