#pragma once

#include <cstdint>

#include "kernel/layout.h"

namespace lockstep::kernel {

// Copies `count` channels from channel `from_first` of one batch to channel `to_first` of another;
// images and pixels agree. Concatenation and its gradient.
void copy_channels(const float* from, const Layout& from_layout, int from_first, float* to,
                   const Layout& to_layout, int to_first, int count);

// Every stride-th pixel, the channels of `from` in the middle of those of `to`, zeros around them;
// and the gradient of that.
struct Subsampling {
  int from_w = 0;  // pixels in a row, before
  int to_h = 0, to_w = 0;
  int stride = 1;
};
void pad_shortcut(const Subsampling& s, const float* from, const Layout& from_layout, float* to,
                  const Layout& to_layout);
void pad_shortcut_gradient(const Subsampling& s, const float* d_to, const Layout& to_layout,
                           float* d_from, const Layout& from_layout);

// To and from plain rows of features, one per sample, in the order channel, pixel. A sample is an
// image, or where `samples_are_pixels` a pixel of the one image.
void gather_rows(const float* from, const Layout& layout, bool samples_are_pixels, float* plain);
void scatter_rows(const float* plain, const Layout& layout, bool samples_are_pixels, float* to);

}  // namespace lockstep::kernel
