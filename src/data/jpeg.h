#pragma once

#include <string>

#include "data/bytes.h"

namespace lockstep::data {

// A JPEG file of pixels that stand channel by channel, row by row; grey, RGB, or four inks, of
// which 255 is none, as Adobe has it.
std::string encode_jpeg(Bytes pixels, int channels, int height, int width, int quality = 90);

}  // namespace lockstep::data
