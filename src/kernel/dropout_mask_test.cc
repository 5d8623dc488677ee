#include "kernel/dropout_mask.h"

#include <gtest/gtest.h>

#include <cmath>

namespace lockstep::kernel {
namespace {

constexpr std::uint64_t kFeatures = 1000;
constexpr std::uint64_t kSamples = 100;

template <typename Predicate>
double share_of_features(Predicate predicate) {
  int count = 0;
  for (std::uint64_t sample = 0; sample < kSamples; ++sample) {
    for (std::uint64_t feature = 0; feature < kFeatures; ++feature) {
      count += predicate(sample, feature) ? 1 : 0;
    }
  }
  return double(count) / double(kSamples * kFeatures);
}

TEST(DropoutMask, KeepsTheShareAskedFor) {
  for (const float keep : {0.1F, 0.5F, 0.8F, 1.0F}) {
    const DropoutMask mask(1234, 7, 3, kFeatures, keep);
    const double share = share_of_features([&](auto s, auto f) { return mask.keeps(s, f); });
    const double standard_error = std::sqrt(keep * (1 - keep) / double(kSamples * kFeatures));
    EXPECT_NEAR(share, keep, 4 * standard_error);
  }
}

TEST(DropoutMask, ComparesTheStreamsUniformNumberWithKeep) {
  const float keep = 0.7F;
  const DropoutMask mask(1234, 7, 3, kFeatures, keep);
  const Rng stream = Rng(1234).stream(7).stream(3);
  const double agreeing = share_of_features([&](auto sample, auto feature) {
    const bool below = stream.uniform(sample * kFeatures + feature) < keep;
    return mask.keeps(sample, feature) == below;
  });
  EXPECT_EQ(agreeing, 1.0);
}

TEST(DropoutMask, IsIndependentBetweenSeedsLayersStepsAndSamples) {
  const DropoutMask mask(1234, 7, 3, kFeatures, 0.5F);
  const auto agreement_with = [&](const DropoutMask& other, std::uint64_t sample_shift) {
    return share_of_features(
        [&](auto s, auto f) { return mask.keeps(s, f) == other.keeps(s + sample_shift, f); });
  };
  EXPECT_NEAR(agreement_with(DropoutMask(1235, 7, 3, kFeatures, 0.5F), 0), 0.5, 0.01);
  EXPECT_NEAR(agreement_with(DropoutMask(1234, 8, 3, kFeatures, 0.5F), 0), 0.5, 0.01);
  EXPECT_NEAR(agreement_with(DropoutMask(1234, 7, 4, kFeatures, 0.5F), 0), 0.5, 0.01);
  EXPECT_NEAR(agreement_with(mask, 1), 0.5, 0.01);
  EXPECT_EQ(agreement_with(DropoutMask(1234, 7, 3, kFeatures, 0.5F), 0), 1.0);
}

TEST(DropoutMask, ScalesWhatItKeepsSoThatTheExpectationStays) {
  const DropoutMask mask(1234, 7, 3, kFeatures, 0.25F);
  for (std::uint64_t feature = 0; feature < kFeatures; ++feature) {
    EXPECT_EQ(mask.factor(5, feature), mask.keeps(5, feature) ? 4.0F : 0.0F);
  }
}

}  // namespace
}  // namespace lockstep::kernel
