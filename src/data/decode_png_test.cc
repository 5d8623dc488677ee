#include "data/decode_png.h"

#include <gmock/gmock.h>

#include "data/png_for_test.h"

namespace lockstep::data {
namespace {

using namespace std::string_view_literals;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<int> decoded_png(const std::string& file, const Crop& crop) {
  PngDecoder decoder;
  const auto view = std::get<PixelView>(decoder.decode(bytes_of(file), crop));
  EXPECT_EQ(view.channels, 3);
  EXPECT_EQ(view.height, crop.height);
  EXPECT_EQ(view.width, crop.width);
  return {view.pixels, view.pixels + static_cast<std::size_t>(view.height) * view.width * 3};
}

TEST(PngDecoder, MakesRgbOfEveryKindOfPixels) {
  const Crop all{0, 0, 1, 2};
  EXPECT_THAT(decoded_png(png_of({0, 8}, 1, 2, "\x07\xff"), all),
              ElementsAre(7, 7, 7, 255, 255, 255));
  EXPECT_THAT(decoded_png(png_of({0, 1}, 1, 2, "\x40"), all), ElementsAre(0, 0, 0, 255, 255, 255));
  EXPECT_THAT(decoded_png(png_of({2, 8}, 1, 2, "\1\2\3\4\5\6"), all),
              ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(decoded_png(png_of({2, 16}, 1, 2, "\1x\2x\3x\4x\5x\6x"), all),
              ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(decoded_png(png_of({3, 8}, 1, 2, "\1\0"sv, "\1\2\3\4\5\6"), all),
              ElementsAre(4, 5, 6, 1, 2, 3));
  EXPECT_THAT(decoded_png(png_of({4, 8}, 1, 2, "\x07\0\x08\xff"sv), all),
              ElementsAre(7, 7, 7, 8, 8, 8));
  EXPECT_THAT(decoded_png(png_of({6, 8}, 1, 2, "\1\2\3\0\4\5\6\xff"sv), all),
              ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST(PngDecoder, Crops) {
  const std::string file = png_of({0, 8}, 3, 4, "abcdefghijkl");
  EXPECT_THAT(decoded_png(file, {1, 2, 2, 1}), ElementsAre('g', 'g', 'g', 'k', 'k', 'k'));
}

TEST(PngDecoder, SaysWhereAFileIsDamaged) {
  PngDecoder decoder;
  const Crop all{0, 0, 3, 4};
  const std::string file = png_of({0, 8}, 3, 4, "abcdefghijkl");
  const auto fault = [&](const std::string& bytes) {
    const auto result = decoder.decode(bytes_of(bytes), all);
    const auto* found = std::get_if<Fault>(&result);
    return found == nullptr ? Fault{0, "none"} : *found;
  };
  EXPECT_THAT(fault("not a PNG file").what, HasSubstr("Not a PNG file"));
  EXPECT_EQ(fault(file.substr(0, 45)), (Fault{41, "the file is cut off"}));
  std::string flipped = file;
  flipped[45] ^= 1;  // compressed pixels
  EXPECT_NE(fault(flipped).what, "none");
  EXPECT_EQ(fault(file).what, "none");  // and goes on with the next one
}

}  // namespace
}  // namespace lockstep::data
