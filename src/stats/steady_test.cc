#include "stats/steady.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "stats/generated_series.h"

namespace lockstep::stats {
namespace {

// The noise of a step is 2 % of it throughout; a start is a multiple of that slower.
constexpr double kDeviation = 0.02;
constexpr int kSeeds = 1000;

using Start = double(int i, int cut);  // excess of step i where the slow start has `cut` steps

double no_start(int, int) {
  return 0;
}
double step_change(int i, int cut) {
  return i < cut ? 0.2 : 0;
}
double small_change(int i, int cut) {
  return i < cut ? 0.1 : 0;
}
double fast_start(int i, int cut) {
  return i < cut ? -0.2 : 0;
}
// From +100 % down to nothing; for 20 steps that is 5 % per step.
double linear_drift(int i, int cut) {
  return i < cut ? static_cast<double>(cut - i) / cut : 0;
}
// From +100 % down to +8 %, where it ends.
double exponential_drift(int i, int cut) {
  return i < cut ? std::pow(0.08, static_cast<double>(i) / cut) : 0;
}

// Percent of the seeds for which the cut is at most `tolerance` steps off.
double hits(Noise& noise, int n, int cut, Start& start, int tolerance) {
  int good = 0;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const auto series = series_of(
        n, [&](int i) { return start(i, cut); }, noise(seed, n), kDeviation);
    good += std::abs(static_cast<int>(steady_start(series)) - cut) <= tolerance ? 1 : 0;
  }
  return 100.0 * good / kSeeds;
}

struct NoiseCase {
  const char* name;
  Noise& noise;
};
class SteadyStart : public testing::TestWithParam<NoiseCase> {};
INSTANTIATE_TEST_SUITE_P(With, SteadyStart,
                         testing::Values(NoiseCase{"NormalNoise", normal_noise},
                                         NoiseCase{"AutocorrelatedNoise", ar1_noise},
                                         NoiseCase{"LognormalNoise", lognormal_noise},
                                         NoiseCase{"Outliers", outlier_noise}),
                         [](const auto& test) { return test.param.name; });

TEST_P(SteadyStart, LeavesASteadySeriesWhole) {
  for (const int n : {12, 20, 50, 100, 300}) {
    const double whole = hits(GetParam().noise, n, 0, no_start, 0);
    RecordProperty(fmt::format("n{}", n), fmt::format("{:.1f}", whole));
    EXPECT_GE(whole, 95) << n << " steps";
  }
}

TEST_P(SteadyStart, FindsWhereASlowStartEndsWithinTwoSteps) {
  for (const int cut : {1, 3, 5, 10, 20, 40}) {
    EXPECT_GE(hits(GetParam().noise, 100, cut, step_change, 2), 98) << "step change at " << cut;
    EXPECT_GE(hits(GetParam().noise, 100, cut, fast_start, 2), 98) << "fast until " << cut;
  }
}

// Five deviations: on the edge of what a robust rule can see in a few steps.
TEST_P(SteadyStart, FindsMostOfTheSmallChanges) {
  for (const int cut : {3, 5, 10, 20, 40}) {
    EXPECT_GE(hits(GetParam().noise, 100, cut, small_change, 2), 90) << cut;
  }
}

TEST_P(SteadyStart, FindsWhereADriftEndsWithinTwoSteps) {
  for (const int cut : {3, 5, 10, 20}) {
    EXPECT_GE(hits(GetParam().noise, 100, cut, linear_drift, 2), 98) << "linear until " << cut;
    EXPECT_GE(hits(GetParam().noise, 100, cut, exponential_drift, 2), 98)
        << "exponential until " << cut;
  }
}

TEST_P(SteadyStart, FindsTheStartOfAShortSeries) {
  for (const int cut : {1, 3, 5}) {
    EXPECT_GE(hits(GetParam().noise, 30, cut, step_change, 2), 95) << cut;
  }
}

TEST(SteadyStart, DoesNotTakeAnOutlierForAStart) {
  for (std::size_t at = 1; at < 100; ++at) {
    std::vector<double> series = series_of(
        100, [](int) { return 0; }, normal_noise(7, 100), 0.02);
    series[at] = 10;
    EXPECT_EQ(steady_start(series), 0U) << at;
  }
}

TEST(SteadyStart, IgnoresWhatIsBelowHalfAPercent) {
  std::vector<double> series(100, 1.0);
  EXPECT_EQ(steady_start(series), 0U);
  std::fill(series.begin(), series.begin() + 10, 1.005);
  EXPECT_EQ(steady_start(series), 0U);
  std::fill(series.begin(), series.begin() + 10, 1.02);
  EXPECT_EQ(steady_start(series), 10U);
}

TEST(SteadyStart, CutsAtMostHalf) {
  std::vector<double> series(100, 1.0);
  std::fill(series.begin(), series.begin() + 70, 2.0);
  EXPECT_LE(steady_start(series), 50U);
}

}  // namespace
}  // namespace lockstep::stats
