#include "data/resize.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>

#include "base/files.h"
#include "base/rng.h"
#include "data/crop.h"
#include "data/decode_jpeg.h"
#include "data/image_file.h"

namespace lockstep::data {
namespace {

using testing::Each;
using testing::ElementsAre;

constexpr ResizeMethod kMethods[] = {ResizeMethod::nearest, ResizeMethod::bilinear,
                                     ResizeMethod::bicubic, ResizeMethod::area};

struct Image {
  int height, width, channels;
  std::vector<std::uint8_t> pixels;

  PixelView view() const { return {pixels.data(), height, width, channels}; }
};

Image random_image(int height, int width) {
  Image image{height, width, 3, {}};
  for (int i = 0; i < 3 * height * width; ++i) {
    image.pixels.push_back(static_cast<std::uint8_t>(Rng(1).bits(static_cast<unsigned>(i))));
  }
  return image;
}

std::vector<float> resized(const Image& image, ResizeMethod method, const ResizeTo& to,
                           const Scaling& scaling = {}) {
  std::vector<float> out(static_cast<std::size_t>(image.channels * to.height * to.width));
  Resizer().resize(image.view(), method, to, scaling,
                   planar_images(out.data(), 1, image.channels, to.height, to.width));
  return out;
}

// All of the result.
ResizeTo whole(int height, int width) {
  return {.whole_height = height, .whole_width = width, .height = height, .width = width};
}

TEST(Resize, DoesAsItsMethodSays) {
  const Image row{1, 4, 1, {0, 100, 200, 40}};
  EXPECT_THAT(resized(row, ResizeMethod::nearest, whole(1, 2)), ElementsAre(0, 200));
  EXPECT_THAT(resized(row, ResizeMethod::bilinear, whole(1, 8)),
              ElementsAre(0, 50, 100, 150, 200, 120, 40, 40));
  EXPECT_THAT(resized(row, ResizeMethod::area, whole(1, 2)), ElementsAre(50, 120));
  EXPECT_THAT(resized(row, ResizeMethod::area, whole(1, 1)), ElementsAre(85));
  // Half-way between pixels Keys' kernel weighs them -3/32, 19/32, 19/32, -3/32.
  EXPECT_FLOAT_EQ(resized(row, ResizeMethod::bicubic, whole(1, 8))[3],
                  (19 * (100 + 200) - 3 * (0 + 40)) / 32.0F);
}

TEST(Resize, LeavesAnImageOfTheRightSizeAlone) {
  const Image image = random_image(7, 9);
  for (const ResizeMethod method : kMethods) {
    const auto out = resized(image, method, whole(7, 9), kLessChannelMeans);
    for (std::size_t i = 0; i < 63; ++i) {
      for (std::size_t c = 0; c < 3; ++c) {
        EXPECT_FLOAT_EQ(out[c * 63 + i],
                        static_cast<float>(image.pixels[3 * i + c]) + kLessChannelMeans.shift[c]);
      }
    }
  }
}

TEST(Resize, ComputesAWindowAsPartOfTheWhole) {
  const Image image = random_image(20, 30);
  for (const ResizeMethod method : kMethods) {
    const auto all = resized(image, method, whole(17, 41));
    const auto part = resized(image, method, {17, 41, 3, 5, 9, 11});
    for (std::size_t c = 0; c < 3; ++c) {
      for (std::size_t y = 0; y < 9; ++y) {
        for (std::size_t x = 0; x < 11; ++x) {
          EXPECT_EQ(part[(c * 9 + y) * 11 + x], all[(c * 17 + y + 3) * 41 + x + 5]);
        }
      }
    }
  }
}

TEST(Resize, MirrorsTheSource) {
  const Image image = random_image(8, 13);
  Image mirror = image;
  for (std::size_t y = 0; y < 8; ++y) {
    for (std::size_t x = 0; x < 13; ++x) {
      std::copy_n(&image.pixels[(y * 13 + x) * 3], 3, &mirror.pixels[(y * 13 + 12 - x) * 3]);
    }
  }
  ResizeTo to = whole(5, 21);
  for (const ResizeMethod method : kMethods) {
    to.mirrored = true;
    const auto mirrored = resized(image, method, to);
    to.mirrored = false;
    EXPECT_EQ(mirrored, resized(mirror, method, to));
  }
}

TEST(Resize, KeepsAnEvenColourWhateverTheSizes) {
  const Image image{5, 3, 3, std::vector<std::uint8_t>(45, 51)};
  for (const ResizeMethod method : kMethods) {
    for (const int size : {1, 2, 3, 7, 16}) {
      EXPECT_THAT(resized(image, method, whole(size, size + 1), kToMinusOneToOne),
                  Each(testing::FloatNear(-0.6F, 1e-5F)));
    }
  }
}

// tools/tensorflow_golden.py wrote the picture and what TensorFlow makes of it.
TEST(EvaluationCrops, AreThoseOfTensorFlow) {
  constexpr int kTarget = 32;
  const std::filesystem::path golden = std::filesystem::path(LOCKSTEP_SOURCE_DIR) / "tests/golden";
  const std::string file = read_file(golden / "tensorflow.jpg");
  const auto header = std::get<ImageHeader>(parse_image_header(bytes_of(file)));
  JpegDecoder decoder;
  const auto view = std::get<PixelView>(
      decoder.decode(bytes_of(file), {0, 0, header.height, header.width}, {.fast = true}));
  for (std::size_t m = 0; m < kResizeMethods.size(); ++m) {
    const std::string expected =
        read_file(golden / fmt::format("tensorflow_{}.rgb", kResizeMethods[m]));
    std::vector<float> out(3 * kTarget * kTarget);
    Resizer().resize(view, kMethods[m],
                     evaluation_window(view.height, view.width, kTarget, kTarget), {},
                     planar_images(out.data(), 1, 3, kTarget, kTarget));
    ASSERT_EQ(out.size(), expected.size());
    float furthest = 0;
    for (std::size_t i = 0; i < out.size(); ++i) {
      const float is = std::clamp(out[i], 0.0F, 255.0F);
      furthest = std::max(furthest, std::abs(is - static_cast<float>(bytes_of(expected)[i])));
    }
    EXPECT_LE(furthest, 2) << kResizeMethods[m];
  }
}

}  // namespace
}  // namespace lockstep::data
