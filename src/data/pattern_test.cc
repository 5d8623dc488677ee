#include "data/pattern.h"

#include <gmock/gmock.h>

#include <cmath>
#include <vector>

namespace lockstep::data {
namespace {

std::vector<std::uint8_t> draw(const Pattern& pattern, std::uint64_t number) {
  std::vector<std::uint8_t> pixels(static_cast<std::size_t>(pattern.channels) * pattern.height *
                                   pattern.width);
  draw_pattern(pattern, number, pixels);
  return pixels;
}

TEST(Patterns, AreAlwaysTheSameAndDifferByNumberAndSeed) {
  const Pattern pattern{.channels = 3, .height = 9, .width = 12, .seed = 4};
  Pattern other = pattern;
  other.seed = 5;
  EXPECT_EQ(draw(pattern, 3), draw(pattern, 3));
  EXPECT_NE(draw(pattern, 3), draw(pattern, 4));
  EXPECT_NE(draw(pattern, 3), draw(other, 3));
}

// What a classifier that weighs pixels has to go by: how bright each is in the mean. Classes that
// differ in that by no more than chance teach it nothing.
TEST(Patterns, HaveTheSameMeanInEveryClass) {
  const Pattern pattern;
  const std::size_t pixels = 28 * 28;
  std::vector<std::vector<double>> sums(10, std::vector<double>(pixels));
  std::vector<int> images(10);
  for (std::uint64_t i = 0; i < 4000; ++i) {
    const auto label = static_cast<std::size_t>(pattern_label(pattern, i));
    const auto image = draw(pattern, i);
    ++images[label];
    for (std::size_t p = 0; p < pixels; ++p) sums[label][p] += image[p];
  }
  for (std::size_t label = 0; label < 10; ++label) {
    ASSERT_GT(images[label], 300);
    double squares = 0;
    for (std::size_t p = 0; p < pixels; ++p) {
      squares += std::pow(sums[label][p] / images[label] - 127, 2);
    }
    // A wave of height 60 deviates by 60 / sqrt(2); the mean over n images by that / sqrt(n).
    EXPECT_LT(std::sqrt(squares / pixels), 4 * 60 / std::sqrt(2 * images[label])) << label;
  }
}

}  // namespace
}  // namespace lockstep::data
