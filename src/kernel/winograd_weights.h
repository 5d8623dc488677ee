#pragma once

#include "kernel/winograd_steps.h"
#include "kernel/winograd_tiles.h"

namespace lockstep::kernel::winograd {

// Backward-weights: the adjoint of forward with respect to the filters.
struct Correlation {
  Maps x, dy;
  Form form;
  int top = 0, left = 0;  // zeros before x
  int threads = 1;
};

Distance scratch_floats(const Correlation& correlation);

// d_bias may be null.
void correlate(const Steps& steps, const Correlation& correlation, const float* x, const float* dy,
               float* d_filters, float* d_bias, float* scratch);

}  // namespace lockstep::kernel::winograd
