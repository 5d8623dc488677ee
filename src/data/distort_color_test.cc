#include "data/distort_color.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <vector>

#include "base/files.h"
#include "data/bytes.h"

namespace lockstep::data {
namespace {

constexpr std::size_t kPlane = 32 * 32;

std::vector<float> distorted(const ColorDistortion& distortion, std::vector<float> image) {
  const std::span<float> all(image);
  const std::size_t plane = image.size() / 3;
  distort_color(distortion, all.first(plane), all.subspan(plane, plane), all.last(plane));
  return image;
}

// tools/tensorflow_golden.py wrote the picture and, for these numbers, what TensorFlow makes of it.
TEST(ColorDistortions, AreThoseOfTensorFlow) {
  const std::filesystem::path golden = std::filesystem::path(LOCKSTEP_SOURCE_DIR) / "tests/golden";
  const std::string picture = read_file(golden / "tensorflow_bilinear.rgb");
  std::vector<float> image;
  for (const std::uint8_t value : bytes_of(picture)) {
    image.push_back(static_cast<float>(value) / 255);
  }
  ASSERT_EQ(image.size(), 3 * kPlane);
  const ColorDistortion distortions[] = {
      {.1F, 1.4F, .15F, 1.3F, /*in_yiq=*/false, /*contrast_first=*/false},
      {-.1F, .6F, -.2F, .6F, /*in_yiq=*/false, /*contrast_first=*/true},
      {.1F, 1.4F, .08F, 1.3F, /*in_yiq=*/true, /*contrast_first=*/false},
      {-.1F, .6F, -.1F, .6F, /*in_yiq=*/true, /*contrast_first=*/true},
  };
  const std::string expected = read_file(golden / "tensorflow_distorted.rgb");
  ASSERT_EQ(expected.size(), std::size(distortions) * image.size());
  std::size_t at = 0;
  for (const ColorDistortion& distortion : distortions) {
    float furthest = 0;
    for (const float value : distorted(distortion, image)) {
      furthest =
          std::max(furthest, std::abs(255 * value - static_cast<float>(bytes_of(expected)[at++])));
    }
    EXPECT_LE(furthest, 1) << distortion.in_yiq << distortion.contrast_first;
  }
}

TEST(ColorDistortions, OfNothingLeaveColoursAlone) {
  const std::vector<float> image = {0, .2F, 1, .5F, .4F, 1, .5F, .7F, 1};
  for (const bool in_yiq : {false, true}) {
    EXPECT_THAT(distorted({.in_yiq = in_yiq}, image),
                testing::Pointwise(testing::FloatNear(1e-5F), image));
  }
}

TEST(ColorDistortions, AreSpreadOverTheirRangesAndAlternate) {
  float brightest = 0, most_turned = 0;
  for (std::uint64_t position = 0; position < 200; ++position) {
    const ColorDistortion sample = sample_distortion(Rng(1).stream(position), position, false);
    ASSERT_LE(std::abs(sample.brightness), 32.0F / 255);
    ASSERT_LE(std::abs(sample.saturation - 1), .5F);
    ASSERT_LE(std::abs(sample.hue), .2F);
    ASSERT_LE(std::abs(sample.contrast - 1), .5F);
    ASSERT_EQ(sample.contrast_first, position % 2 == 1);
    brightest = std::max(brightest, sample.brightness);
    most_turned = std::max(most_turned, sample.hue);
  }
  EXPECT_GT(brightest, 30.0F / 255);
  EXPECT_GT(most_turned, .19F);
}

}  // namespace
}  // namespace lockstep::data
