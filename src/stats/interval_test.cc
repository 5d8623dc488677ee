#include "stats/interval.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include "stats/generated_series.h"
#include "stats/quantile.h"

namespace lockstep::stats {
namespace {

constexpr double kIntervalDeviation = 0.05;

double steady(int) {
  return 0;
}

// In how many percent of 1000 series the interval has the true mean, 1.
double coverage(Noise& noise, int n) {
  int covered = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    covered += mean_interval(series_of(n, steady, noise(seed, n), kIntervalDeviation))->contains(1)
                   ? 1
                   : 0;
  }
  return covered / 10.0;
}

struct Case {
  const char* name;
  Noise& noise;
  int steps;
  double least;
};

class Coverage : public testing::TestWithParam<Case> {};

TEST_P(Coverage, IsWhatTheDocumentationSays) {
  const auto& [name, noise, steps, least] = GetParam();
  const double percent = coverage(noise, steps);
  RecordProperty("percent", fmt::format("{:.1f}", percent));
  EXPECT_GE(percent, least);
  EXPECT_LE(percent, 98);
}

// Below 30 steps the batches are so short that the dependence of neighbours shows.
INSTANTIATE_TEST_SUITE_P(
    MeanInterval, Coverage,
    testing::Values(
        Case{"Normal", normal_noise, 10, 92}, Case{"Normal", normal_noise, 20, 92},
        Case{"Normal", normal_noise, 100, 92}, Case{"Normal", normal_noise, 300, 92},
        Case{"Normal", normal_noise, 1000, 92}, Case{"Lognormal", lognormal_noise, 10, 90},
        Case{"Lognormal", lognormal_noise, 20, 92}, Case{"Lognormal", lognormal_noise, 100, 92},
        Case{"Lognormal", lognormal_noise, 300, 92}, Case{"Autocorrelated", ar1_noise, 10, 83},
        Case{"Autocorrelated", ar1_noise, 20, 90}, Case{"Autocorrelated", ar1_noise, 30, 92},
        Case{"Autocorrelated", ar1_noise, 100, 92}, Case{"Autocorrelated", ar1_noise, 300, 92},
        Case{"Autocorrelated", ar1_noise, 1000, 92}),
    [](const auto& test) { return fmt::format("{}{}", test.param.name, test.param.steps); });

TEST(MeanInterval, IsWiderThanThatOfIndependentStepsWhereNeighboursAgree) {
  double independent = 0;
  double dependent = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    independent +=
        mean_interval(series_of(300, steady, normal_noise(seed, 300), kIntervalDeviation))
            ->half_width();
    dependent += mean_interval(series_of(300, steady, ar1_noise(seed, 300), kIntervalDeviation))
                     ->half_width();
  }
  // In theory by sqrt((1 + rho) / (1 - rho)) = 1.73.
  EXPECT_NEAR(dependent / independent, 1.7, 0.1);
}

TEST(MeanInterval, IsCentredOnTheMean) {
  for (int n = 2; n < 60; ++n) {
    const auto series = series_of(n, steady, normal_noise(1, n), kIntervalDeviation);
    const Interval interval = *mean_interval(series);
    EXPECT_NEAR((interval.low + interval.high) / 2, mean(series), 1e-12);
    EXPECT_GT(interval.half_width(), 0);
  }
}

TEST(MeanInterval, NeedsTwoValues) {
  EXPECT_FALSE(mean_interval({}));
  EXPECT_FALSE(mean_interval(std::vector<double>{1}));
  EXPECT_TRUE(mean_interval(std::vector<double>{1, 2}));
}

}  // namespace
}  // namespace lockstep::stats
