#include "kernel/lrn.h"

#include <cmath>
#include <vector>

#include "base/simd.h"
#include "kernel/parallel.h"

namespace lockstep::kernel {
namespace {

LOCKSTEP_SIMD_CLONES void square(const float* x, float* out, int n) {
  for (int i = 0; i < n; ++i) out[i] = x[i] * x[i];
}

// out[i] = sum of padded[i .. i + width): `padded` carries a margin of zeros at both ends.
LOCKSTEP_SIMD_CLONES void window_sum(const float* padded, int width, float* out, int n) {
  for (int i = 0; i < n; ++i) out[i] = padded[i];
  for (int j = 1; j < width; ++j) {
    for (int i = 0; i < n; ++i) out[i] += padded[i + j];
  }
}

// out = (bias + alpha * sums)^-beta; the networks' own exponent needs no pow.
LOCKSTEP_SIMD_CLONES void power(float bias, float alpha, float beta, const float* sums, float* out,
                                int n) {
  if (beta == 0.75F) {
    for (int i = 0; i < n; ++i) {
      const float root = std::sqrt(bias + alpha * sums[i]);
      out[i] = 1.0F / (root * std::sqrt(root));
    }
  } else {
    for (int i = 0; i < n; ++i) out[i] = std::pow(bias + alpha * sums[i], -beta);
  }
}

LOCKSTEP_SIMD_CLONES void multiply(const float* a, const float* b, float* out, int n) {
  for (int i = 0; i < n; ++i) out[i] = a[i] * b[i];
}

// out = dy x s^(-beta - 1), from the sums and s^-beta.
LOCKSTEP_SIMD_CLONES void weigh(float bias, float alpha, const float* sums, const float* powers,
                                const float* dy, const float* x, float* out, int n) {
  for (int i = 0; i < n; ++i) out[i] = dy[i] * x[i] * powers[i] / (bias + alpha * sums[i]);
}

LOCKSTEP_SIMD_CLONES void combine(float factor, const float* powers, const float* dy,
                                  const float* x, const float* spread, float* out, int n) {
  for (int i = 0; i < n; ++i) out[i] = dy[i] * powers[i] - factor * x[i] * spread[i];
}

// One pixel's channels, brought together from their blocks and back.
struct Column {
  const Layout& layout;
  int n, pixel;

  void load(const float* from, float* to) const {
    for (int b = 0; b < layout.blocks(); ++b) {
      const float* p = from + layout.at(n, b * layout.block, pixel);
      const int width = std::min(layout.block, layout.channels - b * layout.block);
      for (int i = 0; i < width; ++i) to[b * layout.block + i] = p[i];
    }
  }
  void store(const float* from, float* to) const {
    for (int b = 0; b < layout.blocks(); ++b) {
      float* p = to + layout.at(n, b * layout.block, pixel);
      const int width = std::min(layout.block, layout.channels - b * layout.block);
      for (int i = 0; i < layout.block; ++i) p[i] = i < width ? from[b * layout.block + i] : 0;
    }
  }
};

// Calls f(column, workspace) for every pixel of the batch; the workspace is `rows` rows of channels
// with a zero margin of `radius` before and behind each.
template <typename F>
void for_each_pixel(const Layout& layout, int radius, int rows, const F& f) {
  const std::int64_t all = std::int64_t{layout.images} * layout.pixels;
  const int stride = layout.channels + 2 * radius;
  parallel_for(all, 32, [&](std::int64_t begin, std::int64_t end) {
    thread_local std::vector<float> workspace;
    workspace.assign(static_cast<std::size_t>(rows) * static_cast<std::size_t>(stride), 0.0F);
    for (std::int64_t i = begin; i < end; ++i) {
      const Column column{layout, static_cast<int>(i / layout.pixels),
                          static_cast<int>(i % layout.pixels)};
      f(column, [&](int row) { return workspace.data() + row * stride + radius; });
    }
  });
}

}  // namespace

void lrn(const LrnShape& shape, const float* x, float* y, const Layout& layout) {
  const int n = layout.channels;
  const int radius = shape.radius;
  for_each_pixel(layout, radius, 4, [&](const Column& column, const auto& row) {
    float* in = row(0);
    float* squares = row(1);
    float* sums = row(2);
    float* powers = row(3);
    column.load(x, in);
    square(in, squares, n);
    window_sum(squares - radius, 2 * radius + 1, sums, n);
    power(shape.bias, shape.alpha, shape.beta, sums, powers, n);
    multiply(in, powers, powers, n);
    column.store(powers, y);
  });
}

void lrn_gradient(const LrnShape& shape, const float* x, const float* dy, float* dx,
                  const Layout& layout) {
  const int n = layout.channels;
  const int radius = shape.radius;
  const float factor = 2 * shape.alpha * shape.beta;
  for_each_pixel(layout, radius, 7, [&](const Column& column, const auto& row) {
    float* in = row(0);
    float* gradient = row(1);
    float* squares = row(2);
    float* sums = row(3);
    float* powers = row(4);
    float* weighted = row(5);
    float* spread = row(6);
    column.load(x, in);
    column.load(dy, gradient);
    square(in, squares, n);
    window_sum(squares - radius, 2 * radius + 1, sums, n);
    power(shape.bias, shape.alpha, shape.beta, sums, powers, n);
    weigh(shape.bias, shape.alpha, sums, powers, gradient, in, weighted, n);
    window_sum(weighted - radius, 2 * radius + 1, spread, n);
    combine(factor, powers, gradient, in, spread, squares, n);
    column.store(squares, dx);
  });
}

}  // namespace lockstep::kernel
