#include "stats/compare.h"

#include <gmock/gmock.h>

#include "stats/generated_launches.h"

namespace lockstep::stats {
namespace {

constexpr int kPairs = 2000;

// The share of pairs that are called different.
double called_different(const Disturbances& machine, double ratio) {
  int different = 0;
  for (std::uint64_t seed = 1; seed <= kPairs; ++seed) {
    const LaunchPair pair = generated_pair(machine, ratio, seed);
    const Verdict verdict = compare(pair.candidate, pair.baseline)->verdict;
    if (verdict == Verdict::faster || verdict == Verdict::slower) ++different;
  }
  return static_cast<double>(different) / kPairs;
}

testing::Matcher<double> at_the_five_percent_level() {
  return testing::AllOf(testing::Ge(0.04), testing::Le(0.06));
}

TEST(Compare, CallsEqualRunsDifferentInFivePercent) {
  for (const int rounds : {3, 5}) {
    EXPECT_THAT(called_different({.rounds = rounds}, 1), at_the_five_percent_level()) << rounds;
  }
}

// A rare disturbance widens the interval by more than it moves it: the side to err on.
TEST(Compare, OfDisturbedLaunchesRatherMissesADifferenceThanClaimsOne) {
  EXPECT_THAT(called_different({.disturbed = 0.1}, 1),
              testing::AllOf(testing::Ge(0.02), testing::Le(0.05)));
}

TEST(Compare, FindsADifferenceOfTenPercent) {
  EXPECT_NEAR(called_different({.rounds = 3}, 1.1), 0.48, 0.05);
  EXPECT_NEAR(called_different({.rounds = 5}, 1.1), 0.91, 0.05);
}

TEST(Compare, SaysWhichWayTheDifferenceGoes) {
  const LaunchPair pair = generated_pair({}, 1.5, 1);
  EXPECT_EQ(compare(pair.candidate, pair.baseline)->verdict, Verdict::faster);
  EXPECT_EQ(compare(pair.baseline, pair.candidate)->verdict, Verdict::slower);
}

TEST(Compare, OfARunWithItselfShowsNoDifference) {
  const Launches launches = generated_pair({}, 1, 1).candidate;
  EXPECT_EQ(compare(launches, launches)->verdict, Verdict::no_difference);
}

TEST(Compare, OfOneLaunchEachIsUndecided) {
  const auto comparison = compare({20.0}, {10.0});
  EXPECT_DOUBLE_EQ(comparison->ratio.value, 2);
  EXPECT_EQ(comparison->verdict, Verdict::undecided);
}

TEST(Compare, WithNothingIsNothing) {
  EXPECT_FALSE(compare({}, {10.0}).has_value());
}

}  // namespace
}  // namespace lockstep::stats
