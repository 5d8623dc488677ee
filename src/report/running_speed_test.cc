#include "report/running_speed.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/rng.h"

namespace lockstep::report {
namespace {

// Step times with outliers and, every third step, a time that was there before.
std::vector<double> times(std::size_t n) {
  const Rng rng(7);
  std::vector<double> times;
  for (std::size_t i = 0; i < n; ++i) {
    const bool outlier = rng.uniform(2 * i) < 0.1F;
    times.push_back(i % 3 == 2 ? times[i / 2]
                               : 0.1 + rng.uniform(2 * i + 1) * (outlier ? 1 : 0.01));
  }
  return times;
}

TEST(RunningSpeed, SaysAfterEveryStepWhatTheWholeSeriesSays) {
  constexpr double kImages = 64;
  const std::vector<double> series = times(300);
  for (const std::optional<double> ewma : {std::optional<double>(), std::optional(0.2)}) {
    RunningSpeed running(kImages, ewma);
    for (std::size_t n = 1; n <= series.size(); ++n) {
      running.add(series[n - 1]);
      const stats::Speed whole = stats::speed(std::span(series).first(n), kImages, ewma);
      EXPECT_EQ(running.steps(), static_cast<std::int64_t>(n));
      EXPECT_NEAR(running.speed().mean, whole.mean, 1e-9);
      EXPECT_NEAR(running.speed().standard_error, whole.standard_error, 1e-9);
      EXPECT_DOUBLE_EQ(running.speed().jitter, whole.jitter) << n;
    }
  }
}

TEST(RunningSpeed, HasNoJitterWhereAllStepsAreAlike) {
  RunningSpeed running(1);
  for (int i = 0; i < 4; ++i) running.add(0.5);
  EXPECT_EQ(running.speed().mean, 2);
  EXPECT_EQ(running.speed().standard_error, 0);
  EXPECT_EQ(running.speed().jitter, 0);
}

}  // namespace
}  // namespace lockstep::report
