#pragma once

#include <string>

#include "data/bytes.h"

namespace lockstep::data {

// A JPEG file of pixels that stand channel by channel, row by row; grey or RGB.
std::string encode_jpeg(Bytes pixels, int channels, int height, int width, int quality = 90);

}  // namespace lockstep::data
