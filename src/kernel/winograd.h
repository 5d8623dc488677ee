#pragma once

#include <cstddef>

#include "kernel/winograd_steps.h"

namespace lockstep::kernel {

// Convolutions with filters of 3x3, 5x5, 1x3, 3x1, 1x7 or 7x1 taps and stride 1, by Winograd's
// F(4x4, 3x3), F(5x5, 3x3) or F(6x6, 3x3), F(2x2, 5x5), F(4, 3) or F(6, 7): a fifth to a half of
// the multiplications, rounding some times that of the direct way (docs/kernels.md). Activations
// are nChw8c and filters OIhw8i8o, or both with 16, biases plain; all are aligned to 64 bytes.
struct WinogradShape {
  int images = 0;
  int in_channels = 0, out_channels = 0;  // multiples of the block
  int in_h = 0, in_w = 0;
  int out_h = 0, out_w = 0;
  int top = 0, left = 0;         // rows and columns of zeros before the image
  winograd::Size taps = {3, 3};  // of the filters
  int block = 8;                 // channels that stand together: 8 or 16
};

class Winograd {
 public:
  // Whether there are steps for such filters and blocks, by this processor.
  static bool accepts(winograd::Size taps, int block);

  // For the team of the thread that constructs it, which then makes all calls. Without `steps`, by
  // the fastest that this processor has.
  explicit Winograd(const WinogradShape& shape, const winograd::Steps* steps = nullptr);

  const char* instructions() const { return steps_.name; }
  const winograd::Form& form() const { return steps_.form; }

  // What each call needs for itself while it runs; aligned to 64 bytes.
  std::size_t forward_scratch_bytes() const;
  std::size_t backward_data_scratch_bytes() const;
  std::size_t backward_weights_scratch_bytes() const;

  // y = x * filters + bias, negative ones set to 0 where `relu` says so. bias may be null.
  void forward(const float* x, const float* filters, const float* bias, bool relu, float* y,
               float* scratch) const;

  // The gradient of x; plus `addend` unless that is null; 0 where `mask` is not positive unless
  // that is null. dx may be addend.
  void backward_data(const float* dy, const float* filters, const float* addend, const float* mask,
                     float* dx, float* scratch) const;

  // The gradients of the filters and, unless d_bias is null, of the bias.
  void backward_weights(const float* x, const float* dy, float* d_filters, float* d_bias,
                        float* scratch) const;

 private:
  const winograd::Steps& steps_;
  WinogradShape shape_;
  int threads_;
};

}  // namespace lockstep::kernel
