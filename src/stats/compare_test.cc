#include "stats/compare.h"

#include <gmock/gmock.h>

#include <cmath>
#include <map>

#include "stats/five_percent_for_test.h"
#include "stats/generated_launches.h"
#include "stats/student.h"

namespace lockstep::stats {
namespace {

// The shares of pairs that come to each verdict.
std::map<Verdict, double> shares(const Disturbances& machine, double ratio, double min_effect = 0) {
  std::map<Verdict, double> shares;
  for (std::uint64_t seed = 1; seed <= kPairs; ++seed) {
    const LaunchPair pair = generated_pair(machine, ratio, seed);
    shares[compare(pair.candidate, pair.baseline, min_effect)->verdict] += 1.0 / kPairs;
  }
  return shares;
}

double called_different(const Disturbances& machine, double ratio) {
  auto share = shares(machine, ratio);
  return share[Verdict::faster] + share[Verdict::slower];
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

TEST(Compare, OfARunWithItselfIsTheSame) {
  const Launches launches = generated_pair({}, 1, 1).candidate;
  EXPECT_EQ(compare(launches, launches)->verdict, Verdict::same);
}

// Two launches whose quotients with a baseline of 1 have this interval.
Launches with_interval(double low, double high) {
  const double centre = std::sqrt(low * high);
  const double deviation = std::log(high / centre) / student_quantile(0.95, 1);
  return {centre * std::exp(deviation), centre / std::exp(deviation)};
}

TEST(Compare, SaysOnWhichSideOfTheMinimumEffectTheIntervalLies) {
  const auto verdict = [](double low, double high) {
    const auto comparison = compare(with_interval(low, high), {1.0, 1.0}, 0.02);
    EXPECT_NEAR(comparison->ratio.interval->low, low, 1e-9);
    EXPECT_NEAR(comparison->ratio.interval->high, high, 1e-9);
    return comparison->verdict;
  };
  EXPECT_EQ(verdict(1.021, 1.1), Verdict::faster);
  EXPECT_EQ(verdict(0.9, 0.98), Verdict::slower);
  EXPECT_EQ(verdict(0.981, 1.019), Verdict::same);
  EXPECT_EQ(verdict(1.001, 1.019), Verdict::same);     // a difference, but none that matters
  EXPECT_EQ(verdict(1.01, 1.03), Verdict::undecided);  // perhaps one that does
  EXPECT_EQ(verdict(0.9, 0.981), Verdict::undecided);
  EXPECT_EQ(verdict(0.97, 1.03), Verdict::undecided);
}

// At the edge of what matters, where a false verdict is likeliest.
TEST(Compare, CallsADifferenceThatDoesNotMatterSlowerInTwoAndAHalfPercent) {
  for (const int rounds : {3, 5}) {
    auto share = shares({.rounds = rounds}, 1 / 1.02, 0.02);
    EXPECT_NEAR(share[Verdict::slower], 0.025, 0.007) << rounds;
    EXPECT_LT(share[Verdict::faster], 0.025) << rounds;
  }
}

TEST(Compare, TheOtherWayRoundIsTheOppositeVerdict) {
  const Launches candidate = with_interval(0.6, 0.66);
  EXPECT_EQ(compare(candidate, {1.0, 1.0}, 0.5)->verdict, Verdict::slower);
  EXPECT_EQ(compare({1.0, 1.0}, candidate, 0.5)->verdict, Verdict::faster);
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
