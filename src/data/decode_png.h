#pragma once

#include <cstdint>
#include <vector>

#include "data/bytes.h"
#include "data/decode_jpeg.h"
#include "data/fault.h"
#include "data/resize.h"

namespace lockstep::data {

// Decodes PNG files into memory that is used again for the next one.
class PngDecoder {
 public:
  // The pixels of a crop, which must be within the image, as RGB whatever the file holds; what is
  // transparent is as if it were not. Valid until the next call.
  Parsed<PixelView> decode(Bytes file, const Crop& crop);

 private:
  std::vector<std::uint8_t> pixels_;
  std::vector<std::uint8_t*> rows_;
};

}  // namespace lockstep::data
