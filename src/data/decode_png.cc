#include "data/decode_png.h"

#include <png.h>

#include <algorithm>
#include <array>
#include <csetjmp>
#include <cstring>

#include "base/check.h"

namespace lockstep::data {
namespace {

// What the library reads from, and how it says that a file is damaged: it jumps back to where
// decoding began.
struct Reading {
  Bytes file;
  std::size_t at = 0;
  std::array<char, 128> message = {};
};

void take(png_structp png, png_bytep to, std::size_t count) {
  auto& reading = *static_cast<Reading*>(png_get_io_ptr(png));
  if (count > reading.file.size() - reading.at) png_error(png, "the file is cut off");
  std::memcpy(to, reading.file.data() + reading.at, count);
  reading.at += count;
}

[[noreturn]] void fail(png_structp png, png_const_charp message) {
  auto& reading = *static_cast<Reading*>(png_get_error_ptr(png));
  std::strncpy(reading.message.data(), message, reading.message.size() - 1);
  png_longjmp(png, 1);
}

void ignore(png_structp, png_const_charp) {}

// Everything that may fail. No object with a destructor may live in here or in what it calls: the
// library jumps over them. Not inlined, lest variables of here be those of where it jumps to.
[[gnu::noinline]] void decode_all(png_structp png, png_infop info,
                                  std::vector<std::uint8_t>& pixels,
                                  std::vector<std::uint8_t*>& rows, PixelView& view) {
  png_read_info(png, info);
  png_set_strip_16(png);
  png_set_expand(png);  // palettes, and grey of fewer than 8 bits
  png_set_strip_alpha(png);
  png_set_gray_to_rgb(png);
  png_set_interlace_handling(png);
  png_read_update_info(png, info);
  view.height = static_cast<int>(png_get_image_height(png, info));
  view.width = static_cast<int>(png_get_image_width(png, info));
  const std::size_t line = static_cast<std::size_t>(view.width) * 3;
  if (png_get_rowbytes(png, info) != line) png_error(png, "unknown kind of pixels");
  pixels.resize(line * static_cast<std::size_t>(view.height));
  rows.clear();
  for (int y = 0; y < view.height; ++y) {
    rows.push_back(pixels.data() + static_cast<std::size_t>(y) * line);
  }
  png_read_image(png, rows.data());
  png_read_end(png, nullptr);
}

}  // namespace

Parsed<PixelView> PngDecoder::decode(Bytes file, const Crop& crop) {
  Reading reading{.file = file};
  png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &reading, fail, ignore);
  LOCKSTEP_CHECK(png != nullptr);
  png_infop info = png_create_info_struct(png);
  LOCKSTEP_CHECK(info != nullptr);
  png_set_read_fn(png, &reading, take);
  PixelView view;
  if (setjmp(png_jmpbuf(png)) != 0) {
    png_destroy_read_struct(&png, &info, nullptr);
    return Fault{reading.at, reading.message.data()};
  }
  decode_all(png, info, pixels_, rows_, view);
  png_destroy_read_struct(&png, &info, nullptr);

  LOCKSTEP_CHECK(crop.top >= 0 && crop.left >= 0 && crop.height > 0 && crop.width > 0 &&
                 crop.top + crop.height <= view.height && crop.left + crop.width <= view.width);
  const std::size_t line = static_cast<std::size_t>(crop.width) * 3;
  for (int y = 0; y < crop.height; ++y) {  // rows move towards the front, the first one first
    const int from = crop.top + y;
    std::memmove(pixels_.data() + static_cast<std::size_t>(y) * line,
                 rows_[static_cast<std::size_t>(from)] + crop.left * 3, line);
  }
  return PixelView{pixels_.data(), crop.height, crop.width};
}

}  // namespace lockstep::data
