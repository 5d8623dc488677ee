#pragma once

#include <cstddef>

#include "kernel/winograd_steps.h"
#include "kernel/winograd_tiles.h"

namespace lockstep::kernel::winograd {

// Forward, and backward-data, which is a convolution of dy with turned filters.
struct Convolution {
  Maps in, out;
  Form form;
  int top = 0, left = 0;  // zeros before the input; may be negative: pixels that are left out
  bool turned = false;
  int threads = 1;
};

Distance scratch_floats(const Convolution& convolution);

void convolve(const Steps& steps, const Convolution& convolution, const float* x,
              const float* filters, const Ending& ending, float* y, float* scratch);

}  // namespace lockstep::kernel::winograd
