#include "data/image_file.h"

#include <gmock/gmock.h>

#include "data/jpeg.h"

namespace lockstep::data {
namespace {

using testing::HasSubstr;
using Kind = ImageHeader::Kind;

std::string jpeg(int channels = 3) {
  const std::string pixels(static_cast<std::size_t>(channels) * 20 * 30, 'x');
  return encode_jpeg(bytes_of(pixels), channels, 20, 30);
}

// Two rows of three grey pixels.
std::string png() {
  static const unsigned char bytes[] = {
      0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44,
      0x52, 0x00, 0x00, 0x00, 0x03, 0x00, 0x00, 0x00, 0x02, 0x08, 0x00, 0x00, 0x00, 0x00, 0xb8,
      0x1f, 0x39, 0xc6, 0x00, 0x00, 0x00, 0x10, 0x49, 0x44, 0x41, 0x54, 0x78, 0x9c, 0x63, 0x60,
      0x64, 0x62, 0x66, 0x60, 0x61, 0x65, 0x03, 0x00, 0x00, 0x46, 0x00, 0x16, 0x77, 0xf5, 0xc8,
      0x7f, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82};
  return {reinterpret_cast<const char*>(bytes), sizeof bytes};
}

ImageHeader header(const std::string& bytes) {
  return std::get<ImageHeader>(parse_image_header(bytes_of(bytes)));
}

Fault image_fault(const std::string& bytes) {
  const auto parsed = parse_image_header(bytes_of(bytes));
  return std::holds_alternative<Fault>(parsed) ? std::get<Fault>(parsed) : Fault{0, "none"};
}

TEST(ImageHeaders, OfJpegFilesTellChannelsAndSize) {
  EXPECT_EQ(header(jpeg()), (ImageHeader{Kind::jpeg, 3, 20, 30}));
  EXPECT_EQ(header(jpeg(1)), (ImageHeader{Kind::jpeg, 1, 20, 30}));
}

TEST(ImageHeaders, OfPngFilesTellChannelsAndSize) {
  EXPECT_EQ(header(png()), (ImageHeader{Kind::png, 1, 2, 3}));
}

TEST(ImageHeaders, DoNotMindWhatFollowsTheImage) {
  EXPECT_EQ(header(jpeg() + "a maker's note"), header(jpeg()));
}

TEST(ImageHeaders, SeeEveryCut) {
  for (const std::string& whole : {jpeg(), png()}) {
    for (std::size_t size = 0; size < whole.size(); ++size) {
      EXPECT_NE(image_fault(whole.substr(0, size)).what, "none") << size << " of " << whole.size();
    }
  }
  EXPECT_EQ(image_fault(jpeg().substr(0, 400)), (Fault{400, "a JPEG file that is cut off"}));
}

TEST(ImageHeaders, SeeEveryFlippedBitOfPngFiles) {
  for (std::size_t i = 0; i < png().size(); ++i) {
    std::string bytes = png();
    bytes[i] ^= 4;
    EXPECT_NE(image_fault(bytes).what, "none") << "at " << i;
  }
}

TEST(ImageHeaders, KnowWhatIsNoImage) {
  EXPECT_EQ(image_fault(""), (Fault{0, "no bytes where an image is due"}));
  EXPECT_EQ(image_fault("GIF89a"), (Fault{0, "neither a JPEG nor a PNG file"}));
  EXPECT_THAT(image_fault("\xff\xd8 and so on").what, HasSubstr("no JPEG marker"));
}

}  // namespace
}  // namespace lockstep::data
