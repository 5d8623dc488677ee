#include "kernel/max_pool.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/check.h"
#include "base/simd.h"
#include "kernel/parallel.h"

namespace lockstep::kernel {
namespace {

constexpr int kMostPixels = 256;  // of a window: winners are bytes

// Several channels at once.
template <int lanes>
struct Vectors {
  using Floats [[gnu::vector_size(lanes * sizeof(float))]] = float;
  using Ints [[gnu::vector_size(lanes * sizeof(std::int32_t))]] = std::int32_t;
  using Bytes [[gnu::vector_size(lanes)]] = std::uint8_t;
};

// Rows or columns of an image: those that a window covers.
struct Range {
  int first, end;
};
Range covered(int begin, int length, int size) {
  return {std::max(0, begin), std::min(size, begin + length)};
}

// Of `lanes` channels; x, y and winner point to the first of them. The window begins at top, left.
template <int lanes>
[[gnu::always_inline]] inline void largest(const Windows& w, int top, int left, int block,
                                           const float* x, float* y, std::uint8_t* winner) {
  using Floats = typename Vectors<lanes>::Floats;
  using Ints = typename Vectors<lanes>::Ints;
  const Range rows = covered(top, w.kernel_h, w.in_h);
  const Range columns = covered(left, w.kernel_w, w.in_w);
  const auto at = [&](int row, int column) {
    return x + (std::int64_t{row} * w.in_w + column) * block;
  };
  const auto index = [&](int row, int column) { return (row - top) * w.kernel_w + column - left; };
  Floats best, next;
  std::memcpy(&best, at(rows.first, columns.first), sizeof best);
  Ints which = Ints{} + index(rows.first, columns.first);
  for (int row = rows.first; row < rows.end; ++row) {
    for (int column = columns.first; column < columns.end; ++column) {
      std::memcpy(&next, at(row, column), sizeof next);
      which = next > best ? Ints{} + index(row, column) : which;
      best = next > best ? next : best;
    }
  }
  std::memcpy(y, &best, sizeof best);
  const auto bytes = __builtin_convertvector(which, typename Vectors<lanes>::Bytes);
  std::memcpy(winner, &bytes, sizeof bytes);
}

LOCKSTEP_SIMD_CLONES void pool_plane(const Windows& w, int block, const float* x, float* y,
                                     std::uint8_t* winners) {
  constexpr int kLanes = 8;
  for (int out_row = 0; out_row < w.out_h; ++out_row) {
    const int top = out_row * w.stride_h - w.top;
    for (int out_column = 0; out_column < w.out_w; ++out_column) {
      const int left = out_column * w.stride_w - w.left;
      int c = 0;
      for (; c + kLanes <= block; c += kLanes) {
        largest<kLanes>(w, top, left, block, x + c, y + c, winners + c);
      }
      for (; c < block; ++c) largest<1>(w, top, left, block, x + c, y + c, winners + c);
      y += block;
      winners += block;
    }
  }
}

// Calls f(offset before pooling, offset behind it) for each block of channels of each image.
template <typename F>
void for_each_plane(const Windows& w, const Layout& layout, const F& f) {
  LOCKSTEP_CHECK(w.kernel_h * w.kernel_w <= kMostPixels);
  const std::int64_t before = std::int64_t{w.in_h} * w.in_w * layout.block;
  const std::int64_t behind = std::int64_t{w.out_h} * w.out_w * layout.block;
  parallel_for(std::int64_t{layout.images} * layout.blocks(), 1,
               [&](std::int64_t begin, std::int64_t end) {
                 for (std::int64_t plane = begin; plane < end; ++plane) {
                   f(plane * before, plane * behind);
                 }
               });
}

}  // namespace

void max_pool(const Windows& windows, const Layout& layout, const float* x, float* y,
              std::uint8_t* winners) {
  for_each_plane(windows, layout, [&](std::int64_t before, std::int64_t behind) {
    pool_plane(windows, layout.block, x + before, y + behind, winners + behind);
  });
}

void max_pool_gradient(const Windows& w, const Layout& layout, const float* dy,
                       const std::uint8_t* winners, float* dx) {
  std::array<std::int64_t, kMostPixels> offsets{};  // of a window's pixels from its first
  for (int i = 0; i < w.kernel_h * w.kernel_w; ++i) {
    offsets[i] = (std::int64_t{i / w.kernel_w} * w.in_w + i % w.kernel_w) * layout.block;
  }
  for_each_plane(w, layout, [&](std::int64_t before, std::int64_t behind) {
    float* plane = dx + before;
    std::fill_n(plane, std::int64_t{w.in_h} * w.in_w * layout.block, 0.0F);
    for (int out_row = 0; out_row < w.out_h; ++out_row) {
      for (int out_column = 0; out_column < w.out_w; ++out_column) {
        const int top = out_row * w.stride_h - w.top;
        const int left = out_column * w.stride_w - w.left;
        const std::int64_t first = (std::int64_t{top} * w.in_w + left) * layout.block;
        for (int c = 0; c < layout.block; ++c, ++behind) {
          plane[first + offsets[winners[behind]] + c] += dy[behind];
        }
      }
    }
  });
}

}  // namespace lockstep::kernel
