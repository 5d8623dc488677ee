#pragma once

#include <span>

#include "base/rng.h"
#include "data/decode_jpeg.h"
#include "data/example.h"
#include "data/resize.h"

namespace lockstep::data {

// For training: a random part of the image with an area of 5 to 100 % of it and an aspect from 0.75
// to 1.33, which shows at least a tenth of one of the boxes; the whole image, if a hundred attempts
// find none. No boxes: the whole image is one.
Crop sample_crop(int height, int width, std::span<const Box> boxes, const Rng& rng);

// For evaluation: the middle of the image, resized so that height x width, the network's, take the
// 1.145th part of its shorter side: 224 of 256.
ResizeTo evaluation_window(int image_height, int image_width, int height, int width);

}  // namespace lockstep::data
