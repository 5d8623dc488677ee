#include "data/decode_jpeg.h"

#include <csetjmp>
#include <cstdio>  // which jpeglib.h needs and does not include
#include <cstring>

#include <jpeglib.h>

#include <jerror.h>  // which needs it

#include "base/check.h"

namespace lockstep::data {
namespace {

// A few bytes can claim to be a picture of gigabytes.
constexpr long kMostMemory = 1L << 30;

// How the library says that a file is damaged: it jumps back to where decoding began.
struct JpegFailure {
  jpeg_error_mgr manager;  // first, so that a pointer to it is one to the whole
  jmp_buf back;
  char message[JMSG_LENGTH_MAX];
};

[[noreturn]] void fail(j_common_ptr jpeg) {
  auto* failure = reinterpret_cast<JpegFailure*>(jpeg->err);
  failure->manager.format_message(jpeg, failure->message);
  std::longjmp(failure->back, 1);
}

// Warnings of the library are damage where pixels are made up; other oddities are none of ours.
void warn(j_common_ptr jpeg, int level) {
  if (level >= 0) return;
  switch (jpeg->err->msg_code) {
    case JWRN_ARITH_BAD_CODE:
    case JWRN_HIT_MARKER:
    case JWRN_HUFF_BAD_CODE:
    case JWRN_JPEG_EOF:
    case JWRN_MUST_RESYNC:
      fail(jpeg);
    default:
      break;
  }
}

// The largest of 1, 2, 4, 8 by which the crop may be divided.
int divisor_of(const Crop& crop, const DecodeOptions& options) {
  int divisor = 1;
  while (divisor < 8 && crop.height / (2 * divisor) >= options.least_height &&
         crop.width / (2 * divisor) >= options.least_width) {
    divisor *= 2;
  }
  return divisor;
}

// Four inks, stored inverted by the one program that writes such files.
void inks_to_rgb(const std::uint8_t* inks, bool inverted, std::uint8_t* rgb, std::size_t pixels) {
  for (std::size_t i = 0; i < pixels; ++i) {
    const auto light = [&](std::size_t ink) {
      const int value = inks[4 * i + ink];
      return inverted ? value : 255 - value;
    };
    for (std::size_t c = 0; c < 3; ++c) {
      rgb[3 * i + c] = static_cast<std::uint8_t>(light(c) * light(3) / 255);
    }
  }
}

// Everything that may fail. No object with a destructor may live in here or in what it calls: the
// library jumps over them. Not inlined, lest variables of here be those of where it jumps to.
[[gnu::noinline]] void decode_rows(jpeg_decompress_struct& jpeg, Bytes file, const Crop& crop,
                                   const DecodeOptions& options, std::vector<std::uint8_t>& pixels,
                                   std::vector<std::uint8_t>& row, PixelView& view) {
  const int divisor = divisor_of(crop, options);
  jpeg_mem_src(&jpeg, file.data(), file.size());
  jpeg_read_header(&jpeg, TRUE);
  const bool inks = jpeg.num_components == 4;
  jpeg.out_color_space = inks ? JCS_CMYK : JCS_RGB;
  jpeg.scale_num = 1;
  jpeg.scale_denom = static_cast<unsigned>(divisor);
  jpeg.dct_method = options.fast ? JDCT_IFAST : JDCT_ISLOW;
  jpeg.do_fancy_upsampling = options.fast ? FALSE : TRUE;
  jpeg_start_decompress(&jpeg);

  // The library starts rows where a block of the file does; what is left of the crop is cut off.
  const auto left = static_cast<JDIMENSION>(crop.left / divisor);
  const auto top = static_cast<JDIMENSION>(crop.top / divisor);
  view.height = crop.height / divisor;
  view.width = crop.width / divisor;
  JDIMENSION begin = left, width = static_cast<JDIMENSION>(view.width);
  jpeg_crop_scanline(&jpeg, &begin, &width);
  const auto depth = static_cast<std::size_t>(jpeg.output_components);
  const auto line = static_cast<std::size_t>(view.width) * 3;
  pixels.resize(line * static_cast<std::size_t>(view.height));
  row.resize(depth * jpeg.output_width);
  view.pixels = pixels.data();
  if (top > 0) jpeg_skip_scanlines(&jpeg, top);
  for (std::size_t y = 0; y < static_cast<std::size_t>(view.height); ++y) {
    JSAMPROW rows[] = {row.data()};
    jpeg_read_scanlines(&jpeg, rows, 1);
    const std::uint8_t* from = row.data() + (left - begin) * depth;
    if (inks) {
      inks_to_rgb(from, jpeg.saw_Adobe_marker != 0, pixels.data() + y * line,
                  static_cast<std::size_t>(view.width));
    } else {
      std::memcpy(pixels.data() + y * line, from, line);
    }
  }
}

}  // namespace

Parsed<PixelView> JpegDecoder::decode(Bytes file, const Crop& crop, const DecodeOptions& options) {
  LOCKSTEP_CHECK(crop.top >= 0 && crop.left >= 0 && crop.height > 0 && crop.width > 0);
  jpeg_decompress_struct jpeg{};
  JpegFailure failure{};
  jpeg.err = jpeg_std_error(&failure.manager);
  failure.manager.error_exit = fail;
  failure.manager.emit_message = warn;
  PixelView view;
  jpeg_create_decompress(&jpeg);
  jpeg.mem->max_memory_to_use = kMostMemory;
  if (setjmp(failure.back) != 0) {
    // About: the decoder of bits is ahead of what it tells.
    const std::uint64_t offset =
        file.size() - (jpeg.src == nullptr ? 0 : jpeg.src->bytes_in_buffer);
    jpeg_destroy_decompress(&jpeg);
    return Fault{offset, failure.message};
  }
  decode_rows(jpeg, file, crop, options, pixels_, row_, view);
  jpeg_destroy_decompress(&jpeg);  // with what is below the crop unread
  return view;
}

}  // namespace lockstep::data
