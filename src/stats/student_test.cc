#include "stats/student.h"

#include <gtest/gtest.h>

namespace lockstep::stats {
namespace {

TEST(StudentQuantile, MatchesThePublishedTables) {
  EXPECT_NEAR(student_quantile(0.95, 1), 12.7062, 5e-5);
  EXPECT_NEAR(student_quantile(0.95, 2), 4.3027, 5e-5);
  EXPECT_NEAR(student_quantile(0.95, 3), 3.1824, 5e-5);
  EXPECT_NEAR(student_quantile(0.95, 4), 2.7764, 5e-5);
  EXPECT_NEAR(student_quantile(0.95, 9), 2.2622, 5e-5);
  EXPECT_NEAR(student_quantile(0.95, 29), 2.0452, 5e-5);
  EXPECT_NEAR(student_quantile(0.99, 7), 3.4995, 5e-5);
  EXPECT_NEAR(student_quantile(0.95, 100000), 1.95998, 5e-5);
}

TEST(StudentQuantile, InvertsTheProbability) {
  for (int degrees = 1; degrees < 40; ++degrees) {
    for (const double p : {0.1, 0.5, 0.9, 0.95, 0.999}) {
      EXPECT_NEAR(student_within(student_quantile(p, degrees), degrees), p, 1e-12);
    }
  }
}

}  // namespace
}  // namespace lockstep::stats
