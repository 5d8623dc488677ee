#pragma once

#include <cstdint>

namespace lockstep::data {

// Where the images of a batch go: channel c of pixel (y, x) of image n at
// first[n * stride_n + c * stride_c + y * stride_h + x * stride_w].
struct Images {
  float* first = nullptr;
  int n = 0, c = 0, h = 0, w = 0;
  std::int64_t stride_n = 0, stride_c = 0, stride_h = 0, stride_w = 0;

  // Image number i alone.
  Images image(int i) const;

  bool operator==(const Images&) const = default;
};

// Channel by channel, row by row, without gaps.
Images planar_images(float* first, int n, int c, int h, int w);

// How many floats there are from the first to behind the last; gaps between rows count.
std::int64_t floats_spanned(const Images& images);

// Between memory of the same layout. What is in gaps stays as it is.
void copy_images(const Images& from, const Images& to);

}  // namespace lockstep::data
