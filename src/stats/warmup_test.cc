#include "stats/warmup.h"

#include <gtest/gtest.h>

#include <vector>

#include "stats/generated_series.h"

namespace lockstep::stats {
namespace {

// How many steps of the series the warm-up takes.
std::size_t warmup_steps(std::span<const double> series, const WarmupLimits& limits = {}) {
  for (std::size_t n = 0; n <= series.size(); ++n) {
    if (warmup_over(series.first(n), limits)) return n;
  }
  return series.size() + 1;
}

std::vector<double> of_length(double seconds) {
  return std::vector<double>(20, seconds);
}

TEST(WarmupOver, TakesThreeStepsWhereTheyAgree) {
  EXPECT_EQ(warmup_steps(of_length(0.1)), 3U);
  EXPECT_EQ(warmup_steps(std::vector<double>{5, 1, 1, 1, 1, 1}), 4U);
}

TEST(WarmupOver, EndsAfterTenStepsThatNeverAgree) {
  std::vector<double> series;
  for (int i = 0; i < 20; ++i) series.push_back(i % 2 == 0 ? 0.1 : 0.2);
  EXPECT_EQ(warmup_steps(series), 10U);
}

TEST(WarmupOver, DoesNotSpendMinutesOnLongSteps) {
  EXPECT_EQ(warmup_steps(std::vector<double>{30, 20, 20}), 2U);
  EXPECT_EQ(warmup_steps(std::vector<double>{5, 4, 3, 2}), 3U);
  EXPECT_EQ(warmup_steps(std::vector<double>{60}), 2U) << "one step is never enough";
}

TEST(WarmupOver, KeepsItsLimits) {
  EXPECT_EQ(warmup_steps(of_length(1), {.fewest = 5}), 5U);
  EXPECT_EQ(warmup_steps(of_length(1), {.fewest = 0, .most = 0}), 0U);
  EXPECT_EQ(warmup_steps(of_length(1), {.seconds = 2}), 2U);
}

TEST(WarmupOver, OutlastsASlowFirstStepAndADecay) {
  int late_enough = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const auto excess = [](int i) { return std::pow(0.5, i); };  // +100 %, +50 %, +25 % ...
    const auto series = series_of(20, excess, normal_noise(seed, 20), 0.01);
    late_enough += excess(static_cast<int>(warmup_steps(series))) < 0.05 ? 1 : 0;
  }
  EXPECT_GE(late_enough, 990);
}

TEST(WarmupOver, TakesLongerTheNoisierTheSteps) {
  const auto mean_steps = [](double deviation) {
    double steps = 0;
    for (std::uint64_t seed = 0; seed < 1000; ++seed) {
      const auto slow_first = [](int i) { return i == 0 ? 1.0 : 0.0; };
      const auto series = series_of(20, slow_first, normal_noise(seed, 20), deviation);
      steps += static_cast<double>(warmup_steps(series, {.seconds = 1000}));
    }
    return steps / 1000;
  };
  EXPECT_NEAR(mean_steps(0.005), 4.0, 0.05);
  EXPECT_NEAR(mean_steps(0.01), 4.2, 0.05);
  EXPECT_NEAR(mean_steps(0.02), 5.7, 0.05);
  EXPECT_NEAR(mean_steps(0.05), 8.5, 0.05);
}

// The decision must not favour a result: what follows has the mean that it always has.
TEST(WarmupOver, DoesNotBiasWhatFollows) {
  double sum = 0;
  double squares = 0;
  constexpr int kWarmups = 4000;
  for (std::uint64_t seed = 0; seed < kWarmups; ++seed) {
    const auto series = series_of(
        20, [](int) { return 0; }, normal_noise(seed, 20), 0.03);
    const double next = series[warmup_steps(series)];
    sum += next;
    squares += next * next;
  }
  const double mean = sum / kWarmups;
  const double error = std::sqrt((squares / kWarmups - mean * mean) / kWarmups);
  EXPECT_NEAR(mean, 1, 3 * error);
}

}  // namespace
}  // namespace lockstep::stats
