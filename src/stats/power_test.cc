#include "stats/power.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/rng.h"
#include "stats/compare.h"
#include "stats/five_percent_for_test.h"
#include "stats/student.h"

namespace lockstep::stats {
namespace {

// A ratio of 1 over launches whose quotients have this standard deviation, as a factor.
Estimate spreading(double deviation, int launches) {
  const double half =
      student_quantile(0.95, launches - 1) * deviation / std::sqrt(static_cast<double>(launches));
  return {.value = 1, .interval = Interval{std::exp(-half), std::exp(half)}, .launches = launches};
}

// The share of simulated comparisons that come to the verdict.
double share(Verdict verdict, double true_ratio, double deviation, int launches,
             double min_effect) {
  int came = 0;
  for (std::uint64_t pair = 1; pair <= kPairs; ++pair) {
    const Rng rng(pair);
    Launches candidate;
    for (int k = 0; k < launches; ++k) {
      const double noise = deviation * rng.normal(static_cast<std::uint64_t>(k));
      candidate.emplace_back(true_ratio * std::exp(noise));
    }
    const Launches baseline(candidate.size(), 1.0);
    if (compare(candidate, baseline, min_effect)->verdict == verdict) ++came;
  }
  return static_cast<double>(came) / kPairs;
}

TEST(LaunchesToDecide, FindTheEffectInFourOfFiveCases) {
  for (const double effect : {0.02, 0.05, 0.2}) {
    const auto launches = launches_to_decide(spreading(0.03, 3), effect);
    ASSERT_TRUE(launches);
    const double found = share(Verdict::faster, 1 + effect, 0.03, *launches, 0);
    EXPECT_GE(found, 0.77) << effect << " by " << *launches;
    if (*launches == 2) continue;
    EXPECT_LT(share(Verdict::faster, 1 + effect, 0.03, *launches - 1, 0), found) << effect;
  }
}

TEST(LaunchesToDecide, FindWhatExceedsAMinimumEffectByAsMuch) {
  const int launches = launches_to_decide(spreading(0.03, 3), 0.02).value();
  EXPECT_NEAR(share(Verdict::slower, 1 / (1.02 * 1.02), 0.03, launches, 0.02), 0.8, 0.03);
  EXPECT_NEAR(share(Verdict::same, 1, 0.03, launches, 0.02), 0.6, 0.05);
}

TEST(LaunchesToDecide, DependOnTheSpreadAloneNotOnHowManyShowedIt) {
  EXPECT_EQ(launches_to_decide(spreading(0.03, 3), 0.02),
            launches_to_decide(spreading(0.03, 12), 0.02));
  EXPECT_GT(launches_to_decide(spreading(0.06, 3), 0.02),
            launches_to_decide(spreading(0.03, 3), 0.02));
}

TEST(LaunchesToDecide, AreTwoWhereLaunchesDoNotSpread) {
  EXPECT_EQ(launches_to_decide(spreading(0, 3), 0.01), 2);
}

TEST(LaunchesToDecide, AreUnknownWithoutASpreadAndBeyondAllPatience) {
  EXPECT_FALSE(launches_to_decide({.value = 1, .launches = 1}, 0.05));
  EXPECT_FALSE(launches_to_decide(spreading(1, 3), 0.0001));
}

TEST(DecidableEffect, IsTheOneThatNeedsNoMoreLaunches) {
  const Estimate ratio = spreading(0.03, 7);
  const double effect = decidable_effect(ratio).value();
  EXPECT_EQ(launches_to_decide(ratio, effect * 1.0001), 7);
  EXPECT_EQ(launches_to_decide(ratio, effect * 0.9999), 8);
  EXPECT_FALSE(decidable_effect({.value = 1, .launches = 1}));
}

}  // namespace
}  // namespace lockstep::stats
