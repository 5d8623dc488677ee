#include "kernel/winograd.h"

#include <omp.h>

#include <algorithm>

#include "base/check.h"
#include "kernel/winograd_convolve.h"
#include "kernel/winograd_weights.h"

namespace lockstep::kernel {
namespace {

using winograd::Convolution;
using winograd::Correlation;
using winograd::Form;

winograd::Maps inputs(const WinogradShape& s) {
  return {s.images, s.in_channels / s.block, s.block, {s.in_h, s.in_w}};
}
winograd::Maps outputs(const WinogradShape& s) {
  return {s.images, s.out_channels / s.block, s.block, {s.out_h, s.out_w}};
}

Convolution forward_of(const WinogradShape& s, const Form& form, int threads) {
  return {inputs(s), outputs(s), form, s.top, s.left, false, threads};
}
// What a filter's taps reach beyond an output's pixel, they miss on the other side of an input's.
Convolution backward_data_of(const WinogradShape& s, const Form& form, int threads) {
  return {outputs(s), inputs(s), form, s.taps.h - 1 - s.top, s.taps.w - 1 - s.left, true, threads};
}
Correlation backward_weights_of(const WinogradShape& s, const Form& form, int threads) {
  return {inputs(s), outputs(s), form, s.top, s.left, threads};
}

// Multiplications of a pair of channels. To transform their filters takes about as long as some
// tiles.
int cost(const WinogradShape& s, const Form& form) {
  constexpr int kTilesOfFilters = 16;
  const int tiles = winograd::Tiling(outputs(s), form.tile).count();
  return form.positions() * (tiles + kTilesOfFilters);
}

// With the fewest points, which round least, as long as more of them do not save another tenth.
const Form& best_form(const WinogradShape& s) {
  const Form* best = nullptr;
  for (const Form& form : winograd::kForms) {
    if (form.taps != s.taps) continue;
    if (best == nullptr || 10 * cost(s, form) < 9 * cost(s, *best)) best = &form;
  }
  return *best;
}

const winograd::Steps& fastest_steps(const WinogradShape& s) {
  LOCKSTEP_CHECK(Winograd::accepts(s.taps, s.block));
  return *winograd::available_steps(best_form(s), s.block).front();
}

std::size_t bytes(winograd::Distance floats) {
  return static_cast<std::size_t>(floats) * sizeof(float);
}

}  // namespace

bool Winograd::accepts(winograd::Size taps, int block) {
  return std::ranges::any_of(winograd::kForms, [&](const Form& form) {
    return form.taps == taps && !available_steps(form, block).empty();
  });
}

Winograd::Winograd(const WinogradShape& shape, const winograd::Steps* steps)
    : steps_(steps != nullptr ? *steps : fastest_steps(shape)),
      shape_(shape),
      threads_(omp_get_max_threads()) {
  LOCKSTEP_CHECK(steps_.form.taps == shape.taps);
  LOCKSTEP_CHECK(steps_.lanes == shape.block);
  LOCKSTEP_CHECK(shape.in_channels % shape.block == 0);
  LOCKSTEP_CHECK(shape.out_channels % shape.block == 0);
}

std::size_t Winograd::forward_scratch_bytes() const {
  return bytes(scratch_floats(forward_of(shape_, steps_.form, threads_)));
}
std::size_t Winograd::backward_data_scratch_bytes() const {
  return bytes(scratch_floats(backward_data_of(shape_, steps_.form, threads_)));
}
std::size_t Winograd::backward_weights_scratch_bytes() const {
  return bytes(scratch_floats(backward_weights_of(shape_, steps_.form, threads_)));
}

void Winograd::forward(const float* x, const float* filters, const float* bias, bool relu, float* y,
                       float* scratch) const {
  winograd::Ending ending;
  ending.bias = bias;
  ending.relu = relu;
  convolve(steps_, forward_of(shape_, steps_.form, threads_), x, filters, ending, y, scratch);
}

void Winograd::backward_data(const float* dy, const float* filters, const float* addend,
                             const float* mask, float* dx, float* scratch) const {
  winograd::Ending ending;
  ending.addend = addend;
  ending.mask = mask;
  convolve(steps_, backward_data_of(shape_, steps_.form, threads_), dy, filters, ending, dx,
           scratch);
}

void Winograd::backward_weights(const float* x, const float* dy, float* d_filters, float* d_bias,
                                float* scratch) const {
  correlate(steps_, backward_weights_of(shape_, steps_.form, threads_), x, dy, d_filters, d_bias,
            scratch);
}

}  // namespace lockstep::kernel
