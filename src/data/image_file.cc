#include "data/image_file.h"

#include <fmt/format.h>
#include <zlib.h>

namespace lockstep::data {
namespace {

using namespace std::string_view_literals;

// --- JPEG --------------------------------------------------------------------------------------

constexpr std::uint8_t kStartOfImage = 0xd8, kEndOfImage = 0xd9, kStartOfScan = 0xda;

// SOF0..SOF15, but for three numbers that mean other things: tables and an extension.
bool is_start_of_frame(std::uint8_t marker) {
  return marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc;
}

Parsed<ImageHeader> parse_frame(Bytes bytes, std::size_t at, std::size_t length) {
  if (length < 8) return Fault{at, "a JPEG frame header that is too short"};
  const ImageHeader header{.kind = ImageHeader::Kind::jpeg,
                           .channels = bytes[at + 7],
                           .height = load_be<std::uint16_t>(bytes.subspan(at + 3)),
                           .width = load_be<std::uint16_t>(bytes.subspan(at + 5))};
  if (header.height == 0 || header.width == 0) return Fault{at, "a JPEG file of size 0"};
  if (header.channels != 1 && header.channels != 3 && header.channels != 4) {
    return Fault{at, fmt::format("a JPEG file of {} channels", header.channels)};
  }
  return header;
}

// Compressed data never hold this marker, so that a file without it is cut off. Some cameras write
// on behind it, so it need not be the end.
bool has_end_of_image(Bytes scans) {
  return text_of(scans).rfind("\xff\xd9"sv) != std::string_view::npos;
}

Parsed<ImageHeader> parse_jpeg(Bytes bytes) {
  ImageHeader header;
  std::size_t at = 2;
  while (true) {
    if (at + 4 > bytes.size()) return Fault{bytes.size(), "a JPEG file that is cut off"};
    if (bytes[at] != 0xff) return Fault{at, "no JPEG marker where one is due"};
    const std::uint8_t marker = bytes[at + 1];
    if (marker == 0xff) {  // one of any number of fill bytes
      ++at;
      continue;
    }
    const std::size_t segment = at + 2;
    const std::size_t length = load_be<std::uint16_t>(bytes.subspan(segment));
    if (length < 2) return Fault{segment, "a JPEG segment of a length below 2"};
    if (length > bytes.size() - segment) {
      return Fault{bytes.size(), "a JPEG file that is cut off"};
    }
    if (is_start_of_frame(marker)) {
      auto frame = parse_frame(bytes, segment, length);
      if (std::holds_alternative<Fault>(frame)) return frame;
      header = std::get<ImageHeader>(frame);
    } else if (marker == kStartOfScan) {
      if (header.channels == 0) return Fault{at, "a JPEG scan without a frame"};
      if (!has_end_of_image(bytes.subspan(segment + length))) {
        return Fault{bytes.size(), "a JPEG file that is cut off"};
      }
      return header;
    } else if (marker == kEndOfImage) {
      return Fault{at, "a JPEG file without an image"};
    }
    at = segment + length;
  }
}

// --- PNG ---------------------------------------------------------------------------------------

constexpr std::string_view kPngSignature = "\x89PNG\r\n\x1a\n"sv;
constexpr std::size_t kChunkFrame = 12;  // length, type and checksum
constexpr std::uint32_t kLargestSide = 1U << 20;

// By the colour type; 0: there is no such type.
int png_channels(std::uint8_t colour_type) {
  switch (colour_type) {
    case 0:
      return 1;
    case 2:
    case 3:  // a palette of three channels
      return 3;
    case 4:
      return 2;
    case 6:
      return 4;
    default:
      return 0;
  }
}

Parsed<ImageHeader> parse_png_header(Bytes content, std::size_t at) {
  if (content.size() != 13) return Fault{at, "a PNG header of a wrong length"};
  const auto width = load_be<std::uint32_t>(content);
  const auto height = load_be<std::uint32_t>(content.subspan(4));
  const int channels = png_channels(content[9]);
  if (width == 0 || height == 0 || width > kLargestSide || height > kLargestSide || channels == 0) {
    return Fault{at,
                 fmt::format("a PNG header of {}x{}, colour type {}", width, height, content[9])};
  }
  return ImageHeader{.kind = ImageHeader::Kind::png,
                     .channels = channels,
                     .height = static_cast<int>(height),
                     .width = static_cast<int>(width)};
}

Parsed<ImageHeader> parse_png(Bytes bytes) {
  ImageHeader header;
  std::size_t at = kPngSignature.size();
  while (true) {
    if (bytes.size() - at < kChunkFrame) return Fault{bytes.size(), "a PNG file that is cut off"};
    const std::size_t length = load_be<std::uint32_t>(bytes.subspan(at));
    if (length > bytes.size() - at - kChunkFrame) {
      return Fault{bytes.size(), "a PNG file that is cut off"};
    }
    const Bytes checked = bytes.subspan(at + 4, 4 + length);
    const auto sum = ::crc32(0, checked.data(), static_cast<uInt>(checked.size()));
    if (sum != load_be<std::uint32_t>(bytes.subspan(at + 8 + length))) {
      return Fault{at, "a PNG chunk whose checksum is wrong"};
    }
    const std::string_view type = text_of(checked.first(4));
    if (header.channels == 0) {
      if (type != "IHDR") return Fault{at, "a PNG file that does not start with its header"};
      auto parsed = parse_png_header(checked.subspan(4), at);
      if (std::holds_alternative<Fault>(parsed)) return parsed;
      header = std::get<ImageHeader>(parsed);
    }
    if (type == "IEND") return header;
    at += kChunkFrame + length;
  }
}

}  // namespace

Parsed<ImageHeader> parse_image_header(Bytes bytes) {
  if (bytes.empty()) return Fault{0, "no bytes where an image is due"};
  if (bytes.size() >= 2 && bytes[0] == 0xff && bytes[1] == kStartOfImage) return parse_jpeg(bytes);
  if (text_of(bytes).starts_with(kPngSignature)) return parse_png(bytes);
  return Fault{0, "neither a JPEG nor a PNG file"};
}

}  // namespace lockstep::data
