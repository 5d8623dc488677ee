#include "stats/launches.h"

#include <gmock/gmock.h>

#include <cmath>

#include "base/rng.h"
#include "stats/five_percent_for_test.h"

namespace lockstep::stats {
namespace {

// How two equal configurations look in a sweep: launches of either, in as many rounds.
struct Simulated {
  int rounds = 3;
  double noise_a = 0.02, noise_b = 0.02;  // of a launch, relative
  double drift = 0;                       // of the machine, from round to round
};

struct Pair {
  Launches a, b;
};

Pair simulate(const Simulated& options, std::uint64_t seed) {
  const Rng rng(seed);
  Pair pair;
  for (int round = 0; round < options.rounds; ++round) {
    const auto at = static_cast<std::uint64_t>(round);
    const double machine = 100 * std::exp(-options.drift * round);
    pair.a.emplace_back(machine * std::exp(options.noise_a * rng.normal(2 * at)));
    pair.b.emplace_back(machine * std::exp(options.noise_b * rng.normal(2 * at + 1)));
  }
  return pair;
}

// The share of pairs that are called different although they are not.
double false_verdicts(const Simulated& options) {
  int wrong = 0;
  for (int pair = 0; pair < kPairs; ++pair) {
    const Pair launches = simulate(options, static_cast<std::uint64_t>(pair) + 1);
    if (!ratio(launches.a, launches.b)->interval->contains(1)) ++wrong;
  }
  return static_cast<double>(wrong) / kPairs;
}

TEST(Ratio, CallsEqualConfigurationsDifferentInFivePercent) {
  for (const int rounds : {2, 3, 5, 10}) {
    EXPECT_THAT(false_verdicts({.rounds = rounds}), at_the_five_percent_level()) << rounds;
  }
}

TEST(Ratio, IsNotMisledByOneThatIsNoisier) {
  EXPECT_THAT(false_verdicts({.noise_a = 0.001, .noise_b = 0.05}), at_the_five_percent_level());
}

TEST(Ratio, IsNotMisledByADriftOfTheMachine) {
  EXPECT_THAT(false_verdicts({.drift = 0.1}), at_the_five_percent_level());
}

TEST(Ratio, IsNarrowWhereADriftMakesSpeedsUncertain) {
  const Pair pair = simulate({.rounds = 5, .noise_a = 0.001, .noise_b = 0.001, .drift = 0.1}, 1);
  EXPECT_GT(*estimate(pair.a)->precision(), 0.1);
  EXPECT_LT(*ratio(pair.a, pair.b)->precision(), 0.01);
}

TEST(Estimate, HoldsTheTruthInNineteenOfTwenty) {
  int held = 0;
  for (int i = 0; i < kPairs; ++i) {
    const Pair pair = simulate({}, static_cast<std::uint64_t>(i) + 1);
    if (estimate(pair.a)->interval->contains(100)) ++held;
  }
  EXPECT_NEAR(static_cast<double>(held) / kPairs, 0.95, 0.01);
}

TEST(Estimate, IsTheGeometricMeanWithStudentsInterval) {
  const auto result = estimate({10.0, std::nullopt, 40.0});
  EXPECT_DOUBLE_EQ(result->value, 20);
  EXPECT_EQ(result->launches, 2);
  // Logarithms deviate by ln 2 from their mean; t(0.95, 1) is 12.706.
  EXPECT_NEAR(result->interval->high, 20 * std::exp(12.7062 * std::log(2)), 1);
}

TEST(Estimate, OfOneLaunchHasNoInterval) {
  const auto result = estimate({50.0});
  EXPECT_DOUBLE_EQ(result->value, 50);
  EXPECT_FALSE(result->interval.has_value());
  EXPECT_FALSE(result->precision().has_value());
}

TEST(Estimate, OfNothingIsNothing) {
  EXPECT_FALSE(estimate({}).has_value());
  EXPECT_FALSE(estimate({std::nullopt}).has_value());
  EXPECT_FALSE(ratio({1.0}, {std::nullopt}).has_value());
}

// What a sweep shows that was interrupted in its third round: 4 over 2 beside each other.
TEST(Ratio, AgreesWithTheEstimatesThatItIsOf) {
  const Launches numerator = {4.4, 4.0 / 1.1, std::nullopt};
  const Launches denominator = {2.2, 2.0, 20.0 / 11};
  const auto result = ratio(numerator, denominator);
  EXPECT_DOUBLE_EQ(result->value, estimate(numerator)->value / estimate(denominator)->value);
  EXPECT_DOUBLE_EQ(result->value, 2);
  EXPECT_EQ(result->launches, 2);
}

// The quotients are 2 and 2.01: the machine was slower in the round that only one of them has.
TEST(Ratio, HasAnIntervalThatHoldsTheQuotientsAndTheValue) {
  const auto result = ratio({20.0, 20.1, std::nullopt}, {10.0, 10.0, 5.0});
  const auto paired = ratio({20.0, 20.1}, {10.0, 10.0});
  EXPECT_GT(result->value, paired->interval->high);
  EXPECT_DOUBLE_EQ(result->interval->high, result->value);
  EXPECT_DOUBLE_EQ(result->interval->low, paired->interval->low);
}

TEST(Ratio, OfOneRoundThatHasBothHasNoInterval) {
  const auto result = ratio({20.0, 80.0, std::nullopt}, {10.0, std::nullopt, 40.0});
  EXPECT_NEAR(result->value, 2, 1e-12);
  EXPECT_EQ(result->launches, 1);
  EXPECT_FALSE(result->interval.has_value());
}

TEST(Ratio, WithoutACommonRoundHasNoInterval) {
  const auto result = ratio({20.0, std::nullopt}, {std::nullopt, 10.0});
  EXPECT_DOUBLE_EQ(result->value, 2);
  EXPECT_FALSE(result->interval.has_value());
}

TEST(Scaled, MovesTheIntervalWithTheValue) {
  const Estimate half = scaled({.value = 4, .interval = Interval{2, 8}, .launches = 3}, 0.5);
  EXPECT_DOUBLE_EQ(half.value, 2);
  EXPECT_DOUBLE_EQ(half.interval->low, 1);
  EXPECT_DOUBLE_EQ(half.interval->high, 4);
}

}  // namespace
}  // namespace lockstep::stats
