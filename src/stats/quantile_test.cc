#include "stats/quantile.h"

#include <gtest/gtest.h>

#include <vector>

namespace lockstep::stats {
namespace {

TEST(Quantile, IsLinearBetweenTheNearestValues) {
  const std::vector<double> values = {40, 10, 30, 20};
  EXPECT_DOUBLE_EQ(quantile(values, 0), 10);
  EXPECT_DOUBLE_EQ(quantile(values, 0.5), 25);
  EXPECT_DOUBLE_EQ(quantile(values, 0.95), 38.5);
  EXPECT_DOUBLE_EQ(quantile(values, 1), 40);
}

TEST(Quantile, OfOneValueIsThatValue) {
  const std::vector<double> values = {7};
  EXPECT_EQ(quantile(values, 0.99), 7);
  EXPECT_EQ(median(values), 7);
  EXPECT_EQ(robust_deviation(values), 0);
}

TEST(StandardDeviation, IsThatOfThePopulation) {
  EXPECT_DOUBLE_EQ(mean(std::vector<double>{2, 4, 4, 4, 5, 5, 7, 9}), 5);
  EXPECT_DOUBLE_EQ(standard_deviation(std::vector<double>{2, 4, 4, 4, 5, 5, 7, 9}), 2);
}

TEST(RobustDeviation, IgnoresOutliers) {
  EXPECT_DOUBLE_EQ(robust_deviation(std::vector<double>{1, 2, 3, 4, 5}), 1.4826);
  EXPECT_DOUBLE_EQ(robust_deviation(std::vector<double>{1, 2, 3, 4, 5000}), 1.4826);
}

}  // namespace
}  // namespace lockstep::stats
