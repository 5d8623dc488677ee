#include "data/synthetic.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace lockstep::data {
namespace {

constexpr std::uint64_t kSeed = 1234;

Images plain(std::vector<float>& memory, int n, int c, int h, int w) {
  return planar_images(memory.data(), n, c, h, w);
}

std::vector<float> filled(int n, int c, int h, int w, std::uint64_t seed,
                          std::uint64_t first_sample) {
  std::vector<float> memory(static_cast<std::size_t>(n * c * h * w));
  fill_images(plain(memory, n, c, h, w), seed, first_sample);
  return memory;
}

TEST(SyntheticImages, AreTruncatedNormalAroundTheMiddle) {
  const std::vector<float> values = filled(4, 3, 224, 224, kSeed, 0);
  double sum = 0, squares = 0;
  for (const float v : values) {
    sum += v;
    squares += double{v} * v;
  }
  const auto count = static_cast<double>(values.size());
  const double mean = sum / count;
  const double deviation = std::sqrt(squares / count - mean * mean);
  const double sd = 60 / 127.5;
  EXPECT_NEAR(mean, 127 / 127.5 - 1, 0.002);
  EXPECT_NEAR(deviation, 0.8796 * sd, 0.002);  // of a normal cut off at two deviations
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  EXPECT_NEAR(*least, -2 * sd + 127 / 127.5 - 1, 0.002);
  EXPECT_NEAR(*most, 2 * sd + 127 / 127.5 - 1, 0.002);
  const auto within_one =
      std::count_if(values.begin(), values.end(), [&](float v) { return std::abs(v - mean) < sd; });
  EXPECT_NEAR(static_cast<double>(within_one) / count, 0.6827 / 0.9545, 0.003);
}

TEST(SyntheticImages, AreShardsOfOneGlobalBatch) {
  const std::vector<float> whole = filled(4, 3, 5, 7, kSeed, 0);
  const std::vector<float> shard = filled(2, 3, 5, 7, kSeed, 2);
  EXPECT_TRUE(std::equal(shard.begin(), shard.end(), whole.begin() + 2 * 3 * 5 * 7));
}

TEST(SyntheticImages, DifferBySampleAndSeed) {
  const std::vector<float> image = filled(1, 3, 8, 8, kSeed, 0);
  EXPECT_NE(image, filled(1, 3, 8, 8, kSeed, 1));
  EXPECT_NE(image, filled(1, 3, 8, 8, kSeed + 1, 0));
  EXPECT_EQ(image, filled(1, 3, 8, 8, kSeed, 0));
}

TEST(SyntheticImages, AreTheSameInEveryLayoutAndLeavePaddingAlone) {
  const int n = 2, c = 3, h = 5, w = 6, block = 8;
  const std::vector<float> rows = filled(n, c, h, w, kSeed, 9);
  std::vector<float> blocked(static_cast<std::size_t>(n * h * w * block), -7);
  fill_images({.first = blocked.data(),
               .n = n,
               .c = c,
               .h = h,
               .w = w,
               .stride_n = h * w * block,
               .stride_c = 1,
               .stride_h = w * block,
               .stride_w = block},
              kSeed, 9);
  for (int i = 0; i < n; ++i) {
    for (int pixel = 0; pixel < h * w; ++pixel) {
      const auto at_pixel = blocked.begin() + (i * h * w + pixel) * block;
      for (int channel = 0; channel < c; ++channel) {
        ASSERT_EQ(at_pixel[channel], rows.begin()[(i * c + channel) * h * w + pixel]);
      }
      ASSERT_TRUE(std::all_of(at_pixel + c, at_pixel + block, [](float x) { return x == -7; }));
    }
  }
}

TEST(SyntheticLabels, AreUniformBelowTheLastClass) {
  std::vector<int> labels(10000);
  fill_labels(labels, 11, kSeed, 0);
  for (int label = 0; label < 10; ++label) {
    EXPECT_NEAR(static_cast<double>(std::count(labels.begin(), labels.end(), label)), 1000, 120);
  }
  EXPECT_EQ(std::count(labels.begin(), labels.end(), 10), 0);
}

TEST(SyntheticLabels, AreShardsOfOneGlobalBatch) {
  std::vector<int> whole(8), shard(4);
  fill_labels(whole, 1001, kSeed, 0);
  fill_labels(shard, 1001, kSeed, 4);
  EXPECT_THAT(shard, testing::ElementsAreArray(whole.begin() + 4, whole.end()));
}

TEST(SyntheticLabels, AreZeroWhereThereIsOnlyOneClass) {
  std::vector<int> labels(3, -1);
  fill_labels(labels, 1, kSeed, 0);
  EXPECT_THAT(labels, testing::Each(0));
}

}  // namespace
}  // namespace lockstep::data
