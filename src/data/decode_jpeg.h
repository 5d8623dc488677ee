#pragma once

#include <cstdint>
#include <vector>

#include "data/bytes.h"
#include "data/fault.h"
#include "data/resize.h"

namespace lockstep::data {

// A rectangle of pixels.
struct Crop {
  int top = 0, left = 0, height = 0, width = 0;

  bool operator==(const Crop&) const = default;
};

struct DecodeOptions {
  // The fast integer DCT, and colours that are stored coarsely spread without smoothing.
  bool fast = false;
  // The result may be smaller than the crop, down to this: a half, a quarter or an eighth of the
  // resolution takes less time to decode.
  int least_height = 1 << 16, least_width = 1 << 16;
};

// Decodes JPEG files into memory that is used again for the next one.
class JpegDecoder {
 public:
  // The pixels of a crop, which must be within the image, as RGB whatever the file holds. Valid
  // until the next call. Only what the crop needs is decoded, so that damage below it is not seen.
  Parsed<PixelView> decode(Bytes file, const Crop& crop, const DecodeOptions& options);

 private:
  std::vector<std::uint8_t> pixels_, row_;
};

}  // namespace lockstep::data
