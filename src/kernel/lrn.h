#pragma once

#include "kernel/layout.h"

namespace lockstep::kernel {

// Local response normalisation across channels, as TensorFlow defines it:
// y = x * s^-beta with s = bias + alpha * (sum of x^2 over channels c - radius .. c + radius).
struct LrnShape {
  int radius = 2;
  float alpha = 1, beta = 0.5F, bias = 1;
};
void lrn(const LrnShape& shape, const float* x, float* y, const Layout& layout);

// dx = dy * s^-beta - 2 alpha beta x * (sum of dy x s^(-beta - 1) over the same window).
void lrn_gradient(const LrnShape& shape, const float* x, const float* dy, float* dx,
                  const Layout& layout);

}  // namespace lockstep::kernel
