#include "stats/losses.h"

#include <gmock/gmock.h>

#include "stats/sweep.h"

namespace lockstep::stats {
namespace {

// A step of 100 ms, of which the exchange takes so many.
Launch launch_with_exchange(double speed, double exchange_ms = 30, double waiting_ms = 10) {
  return {.images_per_second = speed,
          .step_ms_mean = 100,
          .phase_ms = {5, 20, 60 - exchange_ms, exchange_ms, 10},
          .other_ms = 5,
          .waiting_ms = waiting_ms};
}

TEST(Losses, AreSharesOfTheStepThatAddUpToOne) {
  const PointRecord point{
      .launches = {launch_with_exchange(50, 30), std::nullopt, launch_with_exchange(50, 40)}};
  const auto losses = stats::losses(point, {});
  ASSERT_TRUE(losses.has_value());
  EXPECT_DOUBLE_EQ((*losses)[Part::waiting].value, 0.1);
  EXPECT_DOUBLE_EQ((*losses)[Part::exchange].value, 0.25);
  EXPECT_EQ((*losses)[Part::exchange].launches, 2);
  ASSERT_TRUE((*losses)[Part::exchange].interval.has_value());
  EXPECT_NEAR((*losses)[Part::exchange].interval->half_width(), 12.706 * 0.05, 1e-3);
  double sum = 0;
  for (const Estimate& part : losses->parts) sum += part.value;
  EXPECT_DOUBLE_EQ(sum, 1.0);
  EXPECT_FALSE(losses->contention.has_value());
}

TEST(Losses, TellContentionFromExchangeByTheCeiling) {
  // Alone 100; four side by side 320 of 400; with exchange 240: of the step of the latter, 3/4 are
  // what independent devices need, and 60 % what four devices alone would.
  const PointRecord alone{.launches = {launch_with_exchange(100), launch_with_exchange(110)}};
  const PointRecord apart{.launches = {launch_with_exchange(320), launch_with_exchange(352)}};
  const PointRecord point{.launches = {launch_with_exchange(240), launch_with_exchange(264)}};
  const auto losses =
      stats::losses(point, {.baseline = &alone, .ceiling = &apart, .device_ratio = 4});
  ASSERT_TRUE(losses && losses->contention);
  EXPECT_NEAR(losses->contention->value, 0.75 - 0.6, 1e-12);
  EXPECT_NEAR(losses->contention->interval->half_width(), 0, 1e-12);  // the drift is everyone's
}

TEST(Losses, OfAFailedPointAreNone) {
  EXPECT_FALSE(
      losses({.launches = {launch_with_exchange(1)}, .failure = "out of memory"}, {}).has_value());
  EXPECT_FALSE(losses({}, {}).has_value());
  EXPECT_FALSE(losses({.launches = {Launch{.images_per_second = 1}}}, {}).has_value());
}

}  // namespace
}  // namespace lockstep::stats
