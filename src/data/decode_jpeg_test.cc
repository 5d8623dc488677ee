#include "data/decode_jpeg.h"

#include <gmock/gmock.h>

#include <cstdlib>

#include "data/jpeg.h"

namespace lockstep::data {
namespace {

using testing::HasSubstr;

constexpr int kHeight = 50, kWidth = 70;

// A smooth picture, of which every pixel differs from its neighbours, as a JPEG file.
std::string picture() {
  std::string pixels;
  for (const int channel : {0, 1, 2}) {
    for (int y = 0; y < kHeight; ++y) {
      for (int x = 0; x < kWidth; ++x) {
        pixels += static_cast<char>(channel == 0 ? 2 * x : channel == 1 ? 3 * y : x + y + 50);
      }
    }
  }
  return encode_jpeg(bytes_of(pixels), 3, kHeight, kWidth, 100);
}

std::vector<std::uint8_t> decoded(const std::string& file, const Crop& crop,
                                  const DecodeOptions& options = {}) {
  JpegDecoder decoder;
  const auto view = std::get<PixelView>(decoder.decode(bytes_of(file), crop, options));
  EXPECT_EQ(view.channels, 3);
  return {view.pixels, view.pixels + static_cast<std::size_t>(view.height) * view.width * 3};
}

TEST(JpegDecoder, GivesBackWhatWasEncoded) {
  for (const bool fast : {false, true}) {
    const auto pixels = decoded(picture(), {0, 0, kHeight, kWidth}, {.fast = fast});
    for (int y = 0; y < kHeight; ++y) {
      for (int x = 0; x < kWidth; ++x) {
        const std::uint8_t* pixel = pixels.data() + (y * kWidth + x) * 3;
        EXPECT_NEAR(pixel[0], 2 * x, 8);
        EXPECT_NEAR(pixel[1], 3 * y, 8);
        EXPECT_NEAR(pixel[2], x + y + 50, 8);
      }
    }
  }
}

TEST(JpegDecoder, CropsAsIfTheWholeHadBeenDecoded) {
  const std::string file = picture();
  const auto whole = decoded(file, {0, 0, kHeight, kWidth}, {.fast = true});
  for (const Crop& crop : {Crop{0, 0, 1, 1}, Crop{17, 23, 20, 30}, Crop{49, 69, 1, 1},
                           Crop{8, 16, 42, 54}, Crop{3, 5, 16, 9}}) {
    const auto part = decoded(file, crop, {.fast = true});
    for (int y = 0; y < crop.height; ++y) {
      for (int i = 0; i < 3 * crop.width; ++i) {
        ASSERT_EQ(part[static_cast<std::size_t>(y * 3 * crop.width + i)],
                  whole[static_cast<std::size_t>((crop.top + y) * 3 * kWidth + 3 * crop.left + i)])
            << crop.top << " " << crop.left << ": " << y << " " << i;
      }
    }
  }
}

TEST(JpegDecoder, DecodesLessWhereLessIsWanted) {
  JpegDecoder decoder;
  const std::string file = picture();
  const auto view = std::get<PixelView>(
      decoder.decode(bytes_of(file), {16, 16, 32, 48}, {.least_height = 8, .least_width = 12}));
  EXPECT_EQ(view.height, 8);
  EXPECT_EQ(view.width, 12);
  for (int y = 0; y < view.height; ++y) {
    for (int x = 0; x < view.width; ++x) {
      const std::uint8_t* pixel = view.pixels + (y * view.width + x) * 3;
      EXPECT_NEAR(pixel[0], 2 * (16 + 4 * x + 1.5), 8);
      EXPECT_NEAR(pixel[1], 3 * (16 + 4 * y + 1.5), 8);
    }
  }
}

TEST(JpegDecoder, MakesColoursOfGreyAndOfInks) {
  const auto even = [](const std::vector<int>& channels) {
    std::string pixels;
    for (const int value : channels) pixels += std::string(64, static_cast<char>(value));
    return decoded(encode_jpeg(bytes_of(pixels), static_cast<int>(channels.size()), 8, 8, 100),
                   {7, 7, 1, 1});
  };
  EXPECT_THAT(even({77}), testing::ElementsAre(77, 77, 77));
  EXPECT_THAT(even({200, 100, 50, 255}), testing::ElementsAre(200, 100, 50));
  EXPECT_THAT(even({200, 100, 50, 102}), testing::ElementsAre(80, 40, 20));
}

TEST(JpegDecoder, SaysWhereAFileIsDamaged) {
  const std::string file = picture();
  JpegDecoder decoder;
  const Crop all{0, 0, kHeight, kWidth};
  const auto fault = [&](const std::string& bytes) {
    const auto result = decoder.decode(bytes_of(bytes), all, {});
    const auto* found = std::get_if<Fault>(&result);
    return found == nullptr ? Fault{0, "none"} : *found;
  };
  EXPECT_THAT(fault("not a JPEG file").what, HasSubstr("Not a JPEG file"));
  EXPECT_THAT(fault(file.substr(0, file.size() / 2)).what, HasSubstr("Premature end"));
  EXPECT_NEAR(static_cast<double>(fault(file.substr(0, file.size() / 2)).offset),
              static_cast<double>(file.size()) / 2, 64);
  EXPECT_EQ(fault(file).what, "none");  // and goes on with the next one
}

}  // namespace
}  // namespace lockstep::data
