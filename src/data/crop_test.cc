#include "data/crop.h"

#include <gmock/gmock.h>

#include <cmath>

namespace lockstep::data {
namespace {

TEST(SampleCrop, StaysWithinTheImageAndItsLimits) {
  int wide = 0, small = 0, at_the_right = 0;
  for (std::uint64_t i = 0; i < 2000; ++i) {
    const Crop crop = sample_crop(375, 500, {}, Rng(3).stream(i));
    ASSERT_GE(crop.top, 0);
    ASSERT_GE(crop.left, 0);
    ASSERT_LE(crop.top + crop.height, 375);
    ASSERT_LE(crop.left + crop.width, 500);
    const double area = static_cast<double>(crop.height) * crop.width / (375.0 * 500);
    const double aspect = static_cast<double>(crop.width) / crop.height;
    ASSERT_GE(area, 0.05);
    ASSERT_NEAR(aspect, 1.04, 0.31);
    wide += aspect > 1.04 ? 1 : 0;
    small += area < 0.25 ? 1 : 0;
    at_the_right += 2 * crop.left > 500 - crop.width ? 1 : 0;
  }
  EXPECT_NEAR(wide, 1000, 120);
  EXPECT_NEAR(at_the_right, 1000, 120);
  EXPECT_GT(small, 400);
  EXPECT_LT(small, 1200);
}

TEST(SampleCrop, ShowsOneOfTheBoxes) {
  const Box boxes[] = {{.9F, .9F, 1, 1}, {.8F, 0, 1, .2F}};
  for (std::uint64_t i = 0; i < 500; ++i) {
    const Crop crop = sample_crop(400, 400, boxes, Rng(4).stream(i));
    const bool first = crop.top + crop.height > 360 && crop.left + crop.width > 360;
    const bool second = crop.top + crop.height > 320 && crop.left < 80;
    ASSERT_TRUE(first || second) << i;
  }
}

TEST(SampleCrop, IsTheWholeImageWhereNothingFits) {
  EXPECT_EQ(sample_crop(1, 300, {}, Rng(5)), (Crop{0, 0, 1, 300}));
  const Box outside[] = {{2, 2, 3, 3}};
  EXPECT_EQ(sample_crop(30, 40, outside, Rng(5)), (Crop{0, 0, 30, 40}));
}

TEST(EvaluationWindow, IsTheMiddleOfTheImage) {
  const ResizeTo to = evaluation_window(375, 500, 224, 224);
  EXPECT_EQ(to.whole_height, 256);
  EXPECT_EQ(to.whole_width, 341);
  EXPECT_EQ(to.top, 16);
  EXPECT_EQ(to.left, 58);
  EXPECT_EQ(to.height, 224);
  EXPECT_FALSE(to.mirrored);
}

}  // namespace
}  // namespace lockstep::data
