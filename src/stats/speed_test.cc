#include "stats/speed.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace lockstep::stats {
namespace {

TEST(Speed, IsImagesOverTheMeanTimeNotTheMeanOfTheSpeeds) {
  const std::vector<double> times = {1, 3};
  EXPECT_DOUBLE_EQ(speed(times, 6).mean, 3);  // the mean of the speeds, 6 and 2, is 4
}

TEST(Speed, HasTheErrorAndTheJitterOfTheStepsSpeeds) {
  const std::vector<double> times = {1, 0.5, 0.25, 0.2};  // speeds 1, 2, 4, 5: mean 3, median 3
  const Speed result = speed(times, 1);
  EXPECT_DOUBLE_EQ(result.standard_error, std::sqrt(10.0 / 4) / 2);
  EXPECT_DOUBLE_EQ(result.jitter, 1.4826 * 1.5);  // distances 2, 1, 1, 2
}

TEST(Speed, OfOneStepHasNoError) {
  const std::vector<double> times = {0.5};
  const Speed result = speed(times, 8);
  EXPECT_EQ(result.mean, 16);
  EXPECT_EQ(result.standard_error, 0);
  EXPECT_EQ(result.jitter, 0);
}

TEST(Speed, WeighsOlderStepsLessWithAMovingAverage) {
  const std::vector<double> times = {4, 2, 1};  // weights 1/4, 1/2, 1
  EXPECT_DOUBLE_EQ(speed(times, 1, 0.5).mean, 1.75 / 3);
  EXPECT_DOUBLE_EQ(speed(times, 1, 0.0).mean, speed(times, 1).mean);
}

}  // namespace
}  // namespace lockstep::stats
