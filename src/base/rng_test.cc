#include "base/rng.h"

#include <gtest/gtest.h>

#include <array>
#include <set>

namespace lockstep {
namespace {

constexpr std::uint64_t kDraws = 200'000;

struct Moments {
  double mean = 0;
  double variance = 0;
  double skewness = 0;
  double kurtosis = 0;
};

template <typename Draw>
Moments moments(const Draw& draw) {
  Moments m;
  for (std::uint64_t i = 0; i < kDraws; ++i) m.mean += draw(i) / kDraws;
  double third = 0;
  double fourth = 0;
  for (std::uint64_t i = 0; i < kDraws; ++i) {
    const double d = draw(i) - m.mean;
    m.variance += d * d / kDraws;
    third += d * d * d / kDraws;
    fourth += d * d * d * d / kDraws;
  }
  m.skewness = third / std::pow(m.variance, 1.5);
  m.kurtosis = fourth / (m.variance * m.variance);
  return m;
}

// Of standardised draws, in units of its standard error under independence: within 5 or so.
double correlation(const Rng& a, const Rng& b, std::uint64_t lag = 0) {
  double sum = 0;
  for (std::uint64_t i = 0; i < kDraws; ++i) {
    sum += (a.uniform(i) - 0.5) * (b.uniform(i + lag) - 0.5) * 12;
  }
  return sum / std::sqrt(static_cast<double>(kDraws));
}

TEST(Rng, IsAFunctionOfItsKeyAndThePosition) {
  // Published runs depend on these very bits.
  EXPECT_EQ(0xdce423fc82c0d5b8ULL, Rng(1).bits(0));
  EXPECT_EQ(0x5e41ab087439611eULL, Rng(1).bits(1));
  EXPECT_EQ(0x89db102d2cd642c2ULL, Rng(1).stream(7).bits(0));
  EXPECT_EQ(Rng(1).normal(5), Rng(1).normal(5));
}

TEST(Rng, FillsTheUnitIntervalEvenly) {
  const Rng rng(2);
  std::array<int, 64> bins = {};
  for (std::uint64_t i = 0; i < kDraws; ++i) {
    const float x = rng.uniform(i);
    ASSERT_GE(x, 0);
    ASSERT_LT(x, 1);
    ++bins[static_cast<std::size_t>(x * 64)];
  }
  double chi_squared = 0;
  const double expected = static_cast<double>(kDraws) / 64;
  for (const int count : bins) chi_squared += (count - expected) * (count - expected) / expected;
  // 63 degrees of freedom: mean 63, standard deviation 11.2.
  EXPECT_GT(chi_squared, 63 - 45);
  EXPECT_LT(chi_squared, 63 + 56);
}

TEST(Rng, DrawsStandardNormalNumbers) {
  const Rng rng(3);
  const Moments m = moments([&](std::uint64_t i) { return rng.normal(i); });
  const double root = std::sqrt(static_cast<double>(kDraws));
  EXPECT_NEAR(0, m.mean, 5 / root);
  EXPECT_NEAR(1, m.variance, 5 * std::sqrt(2) / root);
  EXPECT_NEAR(0, m.skewness, 5 * std::sqrt(6) / root);
  EXPECT_NEAR(3, m.kurtosis, 5 * std::sqrt(24) / root);
}

TEST(Rng, DrawsNormalNumbersInTheTailsAsOften) {
  const Rng rng(4);
  int beyond_two = 0;
  int beyond_three = 0;
  for (std::uint64_t i = 0; i < kDraws; ++i) {
    const float x = rng.normal(i);
    ASSERT_TRUE(std::isfinite(x));
    beyond_two += std::abs(x) > 2 ? 1 : 0;
    beyond_three += std::abs(x) > 3 ? 1 : 0;
  }
  EXPECT_NEAR(0.0455003 * kDraws, beyond_two, 5 * std::sqrt(0.0455 * kDraws));
  EXPECT_NEAR(0.0026998 * kDraws, beyond_three, 5 * std::sqrt(0.0027 * kDraws));
}

TEST(Rng, CutsTruncatedNormalNumbersAtTwo) {
  const Rng rng(5);
  for (std::uint64_t i = 0; i < kDraws; ++i) ASSERT_LE(std::abs(rng.truncated_normal(i)), 2.0F);
  const Moments m = moments([&](std::uint64_t i) { return rng.truncated_normal(i); });
  EXPECT_NEAR(0, m.mean, 0.01);
  // The standard deviation of the standard normal distribution within two of its own.
  EXPECT_NEAR(0.8796257, std::sqrt(m.variance), 0.006);
}

TEST(Rng, KeepsNormalNumbersThatNeedNoTruncation) {
  const Rng rng(6);
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const float x = rng.normal(i);
    if (std::abs(x) > 2.0F) continue;
    EXPECT_EQ(x, rng.truncated_normal(i));
  }
}

TEST(Rng, HasIndependentStreams) {
  const Rng rng(7);
  EXPECT_LT(std::abs(correlation(rng, rng.stream(0))), 5);
  EXPECT_LT(std::abs(correlation(rng.stream(0), rng.stream(1))), 5);
  EXPECT_LT(std::abs(correlation(rng.stream(1).stream(2), rng.stream(2).stream(1))), 5);
  EXPECT_LT(std::abs(correlation(Rng(7), Rng(8))), 5);
  for (const std::uint64_t lag : {1, 2, 3, 64, 1000}) {
    EXPECT_LT(std::abs(correlation(rng, rng, lag)), 5) << "at lag " << lag;
  }
}

TEST(Rng, GivesEveryStreamOtherBits) {
  std::set<std::uint64_t> seen;
  const Rng rng(8);
  for (std::uint64_t child = 0; child < 100; ++child) {
    for (std::uint64_t position = 0; position < 100; ++position) {
      EXPECT_TRUE(seen.insert(rng.stream(child).bits(position)).second);
    }
  }
}

}  // namespace
}  // namespace lockstep
