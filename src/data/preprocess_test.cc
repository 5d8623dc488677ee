#include "data/preprocess.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>

#include "base/files.h"
#include "data/jpeg.h"
#include "data/png_for_test.h"

namespace lockstep::data {
namespace {

using testing::Each;
using testing::FloatNear;
using testing::HasSubstr;

constexpr int kSide = 24;

Index files() {
  return {.format = "folder", .encoding = Encoding::image_file};
}

Index pixels(int channels, int side) {
  return {.format = "pixels",
          .encoding = Encoding::pixels,
          .channels = {channels, channels},
          .height = {side, side},
          .width = {side, side}};
}

// What becomes of an image, channel by channel, row by row.
std::vector<float> prepared(Preprocessor& preprocessor, Bytes image, std::uint64_t position,
                            int channels = 3, int side = kSide) {
  std::vector<float> out(static_cast<std::size_t>(channels * side * side));
  const auto decoded = preprocessor.decode({.image = image}, position);
  preprocessor.assemble(std::get<Preprocessor::Decoded>(decoded), position,
                        planar_images(out.data(), 1, channels, side, side));
  return out;
}

// Red grows to the right, green downwards.
std::string slopes(int height, int width) {
  std::string planes;
  for (const int channel : {0, 1, 2}) {
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        planes += static_cast<char>(channel == 0   ? 255 * x / width
                                    : channel == 1 ? 255 * y / height
                                                   : 80);
      }
    }
  }
  return planes;
}

TEST(PreprocessingOfFiles, ShowsARandomPartFlippedOrNot) {
  const std::string file = encode_jpeg(bytes_of(slopes(90, 120)), 3, 90, 120, 95);
  Preprocessor preprocessor(files(), {.height = kSide, .width = kSide, .scaling = {}, .seed = 3});
  int flipped = 0, small = 0;
  std::set<int> tops;
  for (std::uint64_t position = 0; position < 100; ++position) {
    const auto image = prepared(preprocessor, bytes_of(file), position);
    const float* red = image.data();
    const float* green = red + kSide * kSide;
    const float across = red[kSide - 1] - red[0], down = green[(kSide - 1) * kSide] - green[0];
    flipped += across < 0 ? 1 : 0;
    small += std::abs(across) * down < 255 * 255 * .3F ? 1 : 0;
    tops.insert(static_cast<int>(green[0]) / 16);
    ASSERT_GT(down, 20);
    ASSERT_EQ(image, prepared(preprocessor, bytes_of(file), position));
  }
  EXPECT_NEAR(flipped, 50, 20);
  EXPECT_GT(small, 15);
  EXPECT_GT(tops.size(), 5U);
}

TEST(PreprocessingOfFiles, ChangesColoursWithDistortionsOnly) {
  const std::string grey(48 * 48, '\x80');
  const std::string file =
      encode_jpeg(bytes_of(grey + grey + std::string(48 * 48, '\x20')), 3, 48, 48);
  const auto first_pixels = [&](bool training, bool distortions, bool in_yiq) {
    Preprocessor preprocessor(files(), {.training = training,
                                        .height = kSide,
                                        .width = kSide,
                                        .distortions = distortions,
                                        .distort_color_in_yiq = in_yiq,
                                        .scaling = {}});
    std::set<int> found;
    for (std::uint64_t position = 0; position < 8; ++position) {
      found.insert(static_cast<int>(prepared(preprocessor, bytes_of(file), position)[0]));
    }
    return found.size();
  };
  EXPECT_EQ(first_pixels(true, false, true), 1U);
  EXPECT_EQ(first_pixels(false, true, true), 1U);
  EXPECT_GT(first_pixels(true, true, true), 5U);
  EXPECT_GT(first_pixels(true, true, false), 5U);
}

// tools/tensorflow_golden.py wrote the pictures and what TensorFlow makes of them.
TEST(PreprocessingOfFiles, EvaluatesAsTensorFlowDoes) {
  const std::filesystem::path golden = std::filesystem::path(LOCKSTEP_SOURCE_DIR) / "tests/golden";
  const std::string expected = read_file(golden / "tensorflow_bilinear.rgb");
  for (const char* name : {"tensorflow.jpg", "tensorflow.png"}) {
    const std::string file = read_file(golden / name);
    Preprocessor preprocessor(
        files(),
        {.training = false, .height = 32, .width = 32, .distortions = true, .scaling = {}});
    const auto image = prepared(preprocessor, bytes_of(file), 7, 3, 32);
    ASSERT_EQ(image.size(), expected.size());
    for (std::size_t i = 0; i < image.size(); ++i) {
      ASSERT_NEAR(image[i], bytes_of(expected)[i], 2) << name << " " << i;
    }
  }
}

TEST(PreprocessingOfFiles, TakesTurnsInHowItResizes) {
  const std::string file = encode_jpeg(bytes_of(slopes(40, 40)), 3, 40, 40, 95);
  const auto image = [&](std::optional<ResizeMethod> method, std::uint64_t position) {
    Preprocessor preprocessor(
        files(), {.training = false, .height = kSide, .width = kSide, .resize = method});
    return prepared(preprocessor, bytes_of(file), position);
  };
  EXPECT_EQ(image({}, 4), image(ResizeMethod::nearest, 0));
  EXPECT_EQ(image({}, 5), image(ResizeMethod::bilinear, 0));
  EXPECT_EQ(image({}, 6), image(ResizeMethod::bicubic, 0));
  EXPECT_EQ(image({}, 7), image(ResizeMethod::area, 0));
  EXPECT_NE(image({}, 6), image({}, 7));
}

TEST(PreprocessingOfFiles, FindsWhatIsWrong) {
  Preprocessor preprocessor(files(), {.training = false, .height = kSide, .width = kSide});
  const auto fault = [&](const std::string& file) {
    return std::get<Fault>(preprocessor.decode({.image = bytes_of(file)}, 0)).what;
  };
  EXPECT_THAT(fault("x"), HasSubstr("neither a JPEG nor a PNG file"));
  EXPECT_THAT(fault(png_of({}, 1 << 15, 1 << 15, std::string(1 << 15, 'x'))),
              HasSubstr("too large"));
}

// A picture of 5 x 5 pixels in each of 3 channels, all different and none 0.
std::string different() {
  std::string planes;
  for (int i = 1; i <= 75; ++i) planes += static_cast<char>(i);
  return planes;
}

TEST(PreprocessingOfPixels, PadsCropsAndFlipsWithDistortions) {
  const std::string planes = different();
  Preprocessor preprocessor(
      pixels(3, 5), {.height = 5, .width = 5, .distortions = true, .scaling = {}, .seed = 1});
  std::set<std::pair<int, int>> offsets;
  int flipped = 0;
  for (std::uint64_t position = 0; position < 1000; ++position) {
    const auto image = prepared(preprocessor, bytes_of(planes), position, 3, 5);
    // Some pixel of the first channel tells which part it is, and the one beside it the direction.
    bool found = false;
    for (const bool mirrored : {false, true}) {
      for (int down = -4; down <= 4; ++down) {
        for (int right = -4; right <= 4; ++right) {
          const auto expected = [&](int c, int y, int x) {
            const int from_y = y + down, from_x = (mirrored ? 4 - x : x) + right;
            const bool inside = from_y >= 0 && from_y < 5 && from_x >= 0 && from_x < 5;
            return inside ? static_cast<float>(1 + (c * 5 + from_y) * 5 + from_x) : 0.0F;
          };
          bool same = true;
          for (int i = 0; i < 75 && same; ++i) {
            same = image[static_cast<std::size_t>(i)] == expected(i / 25, i / 5 % 5, i % 5);
          }
          if (!same || found) continue;
          found = true;
          offsets.emplace(down, right);
          flipped += mirrored ? 1 : 0;
        }
      }
    }
    ASSERT_TRUE(found) << position;
  }
  EXPECT_EQ(offsets.size(), 81U);
  EXPECT_NEAR(flipped, 500, 100);
}

TEST(PreprocessingOfPixels, LeavesThemAloneOtherwise) {
  const std::string planes = different();
  for (const bool training : {true, false}) {
    Preprocessor preprocessor(
        pixels(3, 5),
        {.training = training, .height = 5, .width = 5, .distortions = !training, .scaling = {}});
    const auto image = prepared(preprocessor, bytes_of(planes), 9, 3, 5);
    EXPECT_TRUE(std::ranges::equal(image, bytes_of(planes)));
  }
  Preprocessor digits(pixels(1, 5), {.height = 5, .width = 5, .distortions = true, .scaling = {}});
  const std::string digit = planes.substr(0, 25);
  EXPECT_TRUE(std::ranges::equal(prepared(digits, bytes_of(digit), 3, 1, 5), bytes_of(digit)));
}

TEST(PreprocessingOfPixels, GivesNetworksTheChannelsAndTheSizeThatTheyTake) {
  const std::string even =
      std::string(25, '\x33') + std::string(25, '\x66') + std::string(25, '\x99');
  Preprocessor colours(pixels(3, 5), {.height = kSide, .width = kSide});
  EXPECT_THAT(prepared(colours, bytes_of(even), 0, 1),
              Each(FloatNear(2 * (.2F * .299F + .4F * .587F + .6F * .114F) - 1, 1e-5F)));
  Preprocessor digits(pixels(1, 5), {.height = 5, .width = 5, .scaling = kLessChannelMeans});
  const auto image = prepared(digits, bytes_of(even.substr(0, 25)), 0, 3, 5);
  EXPECT_FLOAT_EQ(image[0], 51 - 123.68F);
  EXPECT_FLOAT_EQ(image[74], 51 - 103.94F);
}

TEST(Preprocessing, WritesWhereTheEngineWantsIt) {
  const std::string file = encode_jpeg(bytes_of(slopes(40, 50)), 3, 40, 50);
  for (const bool distortions : {false, true}) {
    Preprocessor preprocessor(files(),
                              {.height = kSide, .width = kSide, .distortions = distortions});
    const auto planar = prepared(preprocessor, bytes_of(file), 1);
    // Channels beside each other, rows with a border of 2 pixels.
    constexpr int kRow = 3 * (kSide + 2);
    std::vector<float> beside(kSide * kRow, 99);
    preprocessor.assemble(
        std::get<Preprocessor::Decoded>(preprocessor.decode({.image = bytes_of(file)}, 1)), 1,
        {beside.data(), 1, 3, kSide, kSide, kSide * kRow, 1, kRow, 3});
    for (int y = 0; y < kSide; ++y) {
      for (int x = 0; x < kSide + 2; ++x) {
        for (int c = 0; c < 3; ++c) {
          ASSERT_EQ(beside[static_cast<std::size_t>(y * kRow + 3 * x + c)],
                    x < kSide ? planar[static_cast<std::size_t>((c * kSide + y) * kSide + x)] : 99);
        }
      }
    }
  }
}

}  // namespace
}  // namespace lockstep::data
