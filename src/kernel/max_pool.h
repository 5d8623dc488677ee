#pragma once

#include <cstdint>

#include "kernel/layout.h"

namespace lockstep::kernel {

// How windows lie over the rows and columns of an image; what reaches beyond its border is cut off,
// and every window has a pixel inside.
struct Windows {
  int in_h = 0, in_w = 0;
  int out_h = 0, out_w = 0;
  int kernel_h = 1, kernel_w = 1;  // at most 256 pixels
  int stride_h = 1, stride_w = 1;
  int top = 0, left = 0;  // how far the first one reaches beyond the border
};

// The largest pixel of each window, channel by channel, and for the gradient which one it is,
// counted along the rows of the window: the first of equals. Images have the channels and blocks of
// `layout` before and behind.
void max_pool(const Windows& windows, const Layout& layout, const float* x, float* y,
              std::uint8_t* winners);

// Each winner gets the gradient of its window.
void max_pool_gradient(const Windows& windows, const Layout& layout, const float* dy,
                       const std::uint8_t* winners, float* dx);

}  // namespace lockstep::kernel
