#include "data/resize.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "base/simd.h"

namespace lockstep::data {
namespace {

// One position of the result on an axis.
struct Position {
  int at;        // the pixel that it falls on
  float beyond;  // and how far behind its beginning, from 0 to 1
};

Position locate(int x, float scale, int size) {
  const float exact = static_cast<float>(x) * scale;
  const int at = std::min(static_cast<int>(exact), size - 1);
  return {at, exact - static_cast<float>(at)};
}

// Keys' cubic kernel with a = -0.75, of which images look sharper than they are.
float cubic(float distance) {
  constexpr float kA = -0.75F;
  const float x = std::abs(distance);
  if (x <= 1) return ((kA + 2) * x - (kA + 3)) * x * x + 1;
  if (x < 2) return ((kA * x - 5 * kA) * x + 8 * kA) * x - 4 * kA;
  return 0;
}

std::size_t taps_of(ResizeMethod method, float scale) {
  switch (method) {
    case ResizeMethod::nearest:
      return 1;
    case ResizeMethod::bilinear:
      return 2;
    case ResizeMethod::bicubic:
      return 4;
    case ResizeMethod::area:
      return static_cast<std::size_t>(std::ceil(scale)) + 1;
  }
  return 0;
}

// Positions first..first + count of an axis that goes from `size` pixels to `whole`.
void fill(Taps& taps, ResizeMethod method, int size, int whole, int first, int count) {
  const float scale = static_cast<float>(size) / static_cast<float>(whole);
  taps.each = taps_of(method, scale);
  taps.index.clear();
  taps.weight.clear();
  for (int x = first; x < first + count; ++x) {
    const Position position = locate(x, scale, size);
    for (int tap = 0; tap < static_cast<int>(taps.each); ++tap) {
      int at = position.at + tap;
      float weight = 1;
      switch (method) {
        case ResizeMethod::nearest:
          break;
        case ResizeMethod::bilinear:
          weight = tap == 0 ? 1 - position.beyond : position.beyond;
          break;
        case ResizeMethod::bicubic:
          --at;
          weight = cubic(static_cast<float>(tap - 1) - position.beyond);
          break;
        case ResizeMethod::area: {
          const float begin = static_cast<float>(x) * scale, end = begin + scale;
          const float low = std::max(begin, static_cast<float>(at));
          const float high = std::min(end, static_cast<float>(at + 1));
          weight = std::max(high - low, 0.0F) / scale;
          break;
        }
      }
      taps.index.push_back(std::clamp(at, 0, size - 1));
      taps.weight.push_back(weight);
    }
  }
}

// A row of the result, before its columns are resized.
LOCKSTEP_SIMD_CLONES
void blend_rows(const PixelView& source, const Taps& rows, std::size_t y, std::vector<float>& row) {
  const std::size_t length = row.size();
  float* const to = row.data();
  for (std::size_t tap = y * rows.each; tap < (y + 1) * rows.each; ++tap) {
    const float weight = rows.weight[tap];
    const std::uint8_t* from = source.pixels + static_cast<std::size_t>(rows.index[tap]) * length;
    if (tap == y * rows.each) {
      for (std::size_t i = 0; i < length; ++i) to[i] = weight * static_cast<float>(from[i]);
    } else if (weight != 0) {
      for (std::size_t i = 0; i < length; ++i) to[i] += weight * static_cast<float>(from[i]);
    }
  }
}

// The columns of such a row, to where `line` starts. Taps and channels are numbers that the
// compiler knows, as the loops over them are too short to be loops; 0 taps: as many as there are.
template <std::size_t kTaps, std::size_t kChannels>
void blend_columns(const std::vector<float>& row, const Taps& columns, Scaling scaling,
                   const Images& out, float* line) {
  const std::size_t each = kTaps == 0 ? columns.each : kTaps;
  const int* index = columns.index.data();
  const float* weight = columns.weight.data();
  for (int x = 0; x < out.w; ++x, index += each, weight += each, line += out.stride_w) {
    std::array<float, kChannels> sum = {};
    for (std::size_t tap = 0; tap < each; ++tap) {
      const float* const pixel = row.data() + index[tap];
      for (std::size_t c = 0; c < kChannels; ++c) sum[c] += weight[tap] * pixel[c];
    }
    for (std::size_t c = 0; c < kChannels; ++c) {
      line[static_cast<std::int64_t>(c) * out.stride_c] =
          sum[c] * scaling.factor + scaling.shift[c];
    }
  }
}

template <std::size_t kChannels>
auto columns_blender(std::size_t taps) {
  return taps == 1   ? blend_columns<1, kChannels>
         : taps == 2 ? blend_columns<2, kChannels>
         : taps == 4 ? blend_columns<4, kChannels>
                     : blend_columns<0, kChannels>;
}

}  // namespace

void Resizer::resize(const PixelView& source, ResizeMethod method, const ResizeTo& to,
                     const Scaling& scaling, const Images& out) {
  LOCKSTEP_CHECK(source.channels == 1 || source.channels == 3);
  LOCKSTEP_CHECK(out.n == 1 && out.c == source.channels && out.h == to.height && out.w == to.width);
  LOCKSTEP_CHECK(to.top >= 0 && to.top + to.height <= to.whole_height);
  LOCKSTEP_CHECK(to.left >= 0 && to.left + to.width <= to.whole_width);

  fill(rows_, method, source.height, to.whole_height, to.top, to.height);
  fill(columns_, method, source.width, to.whole_width, to.left, to.width);
  for (int& index : columns_.index) {
    if (to.mirrored) index = source.width - 1 - index;
    index *= source.channels;
  }

  const auto blend_columns_of_row =
      source.channels == 1 ? columns_blender<1>(columns_.each) : columns_blender<3>(columns_.each);
  row_.resize(static_cast<std::size_t>(source.width) * static_cast<std::size_t>(source.channels));
  for (int y = 0; y < to.height; ++y) {
    blend_rows(source, rows_, static_cast<std::size_t>(y), row_);
    blend_columns_of_row(row_, columns_, scaling, out, out.first + y * out.stride_h);
  }
}

}  // namespace lockstep::data
