#include "data/jpeg.h"

#include <cstdio>  // which jpeglib.h needs and does not include
#include <cstdlib>
#include <vector>

#include <jpeglib.h>

#include "base/check.h"

namespace lockstep::data {
namespace {

// The library's own would end the program with code 1.
[[noreturn]] void pixels_refused(j_common_ptr) {
  LOCKSTEP_CHECK(false && "libjpeg refuses pixels of ours");
  std::abort();
}

}  // namespace

std::string encode_jpeg(Bytes pixels, int channels, int height, int width, int quality) {
  const auto depth = static_cast<std::size_t>(channels);
  const auto row_pixels = static_cast<std::size_t>(width);
  const std::size_t plane = row_pixels * static_cast<std::size_t>(height);
  LOCKSTEP_CHECK((channels == 1 || channels == 3 || channels == 4) &&
                 pixels.size() == depth * plane);
  jpeg_error_mgr errors{};
  jpeg_compress_struct jpeg{};
  jpeg.err = jpeg_std_error(&errors);
  errors.error_exit = pixels_refused;
  jpeg_create_compress(&jpeg);
  unsigned char* memory = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&jpeg, &memory, &size);
  jpeg.image_width = static_cast<JDIMENSION>(width);
  jpeg.image_height = static_cast<JDIMENSION>(height);
  jpeg.input_components = channels;
  jpeg.in_color_space = channels == 1 ? JCS_GRAYSCALE : channels == 3 ? JCS_RGB : JCS_CMYK;
  jpeg_set_defaults(&jpeg);
  jpeg_set_quality(&jpeg, quality, TRUE);
  jpeg_start_compress(&jpeg, TRUE);
  std::vector<std::uint8_t> row(depth * row_pixels);
  for (std::size_t y = 0; y < static_cast<std::size_t>(height); ++y) {
    for (std::size_t x = 0; x < row_pixels; ++x) {
      for (std::size_t c = 0; c < depth; ++c) {
        row[x * depth + c] = pixels[c * plane + y * row_pixels + x];
      }
    }
    JSAMPROW rows[] = {row.data()};
    jpeg_write_scanlines(&jpeg, rows, 1);
  }
  jpeg_finish_compress(&jpeg);
  jpeg_destroy_compress(&jpeg);
  std::string out(reinterpret_cast<const char*>(memory), size);
  std::free(memory);
  return out;
}

}  // namespace lockstep::data
