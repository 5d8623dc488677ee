#pragma once

#include <cstdint>
#include <span>

#include "base/rng.h"

namespace lockstep::data {

// A change of an image's colours, as tf_cnn_benchmarks makes them for training.
struct ColorDistortion {
  float brightness = 0;         // is added to every value
  float saturation = 1;         // factor
  float hue = 0;                // turns around the circle of colours
  float contrast = 1;           // factor of what differs from a channel's mean
  bool in_yiq = true;           // saturation and hue: a linear map; otherwise by way of HSV
  bool contrast_first = false;  // before saturation and hue, which does not come to the same
};

// As it is at a position of training: the order alternates, all else is random.
ColorDistortion sample_distortion(const Rng& rng, std::uint64_t position, bool in_yiq);

// Values are from 0 to 1, before and behind it.
void distort_color(const ColorDistortion& distortion, std::span<float> red, std::span<float> green,
                   std::span<float> blue);

}  // namespace lockstep::data
