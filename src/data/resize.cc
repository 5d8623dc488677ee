#include "data/resize.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/check.h"

namespace lockstep::data {
namespace {

// Which pixels of an axis, and how much of each, make up each position of the result. All methods
// weigh rows and columns apart, so that they differ in nothing else.
struct Taps {
  std::size_t each = 0;  // taps of a position
  std::vector<int> index = {};
  std::vector<float> weight = {};
};

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
Taps taps(ResizeMethod method, int size, int whole, int first, int count) {
  const float scale = static_cast<float>(size) / static_cast<float>(whole);
  Taps taps{.each = taps_of(method, scale)};
  taps.index.reserve(taps.each * static_cast<std::size_t>(count));
  taps.weight.reserve(taps.index.capacity());
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
  return taps;
}

// A row of the result, before its columns are resized.
void blend_rows(const PixelView& source, const Taps& rows, std::size_t y, std::vector<float>& row) {
  const std::size_t length = row.size();
  for (std::size_t tap = y * rows.each; tap < (y + 1) * rows.each; ++tap) {
    const float weight = rows.weight[tap];
    const std::uint8_t* from = source.pixels + static_cast<std::size_t>(rows.index[tap]) * length;
    float* to = row.data();
    if (tap == y * rows.each) {
      for (std::size_t i = 0; i < length; ++i) to[i] = weight * static_cast<float>(from[i]);
    } else if (weight != 0) {
      for (std::size_t i = 0; i < length; ++i) to[i] += weight * static_cast<float>(from[i]);
    }
  }
}

}  // namespace

void resize(const PixelView& source, ResizeMethod method, const ResizeTo& to,
            const Scaling& scaling, std::span<float> out) {
  const auto channels = static_cast<std::size_t>(source.channels);
  const auto height = static_cast<std::size_t>(to.height);
  const auto width = static_cast<std::size_t>(to.width);
  LOCKSTEP_CHECK(channels <= scaling.shift.size() && out.size() == channels * height * width);
  LOCKSTEP_CHECK(to.top >= 0 && to.top + to.height <= to.whole_height);
  LOCKSTEP_CHECK(to.left >= 0 && to.left + to.width <= to.whole_width);

  const Taps rows = taps(method, source.height, to.whole_height, to.top, to.height);
  Taps columns = taps(method, source.width, to.whole_width, to.left, to.width);
  for (int& index : columns.index) {
    if (to.mirrored) index = source.width - 1 - index;
    index *= source.channels;
  }

  std::vector<float> row(static_cast<std::size_t>(source.width) * channels);
  for (std::size_t y = 0; y < height; ++y) {
    blend_rows(source, rows, y, row);
    for (std::size_t c = 0; c < channels; ++c) {
      float* const line = out.data() + (c * height + y) * width;
      for (std::size_t x = 0; x < width; ++x) {
        float sum = 0;
        for (std::size_t tap = x * columns.each; tap < (x + 1) * columns.each; ++tap) {
          sum += columns.weight[tap] * row[static_cast<std::size_t>(columns.index[tap]) + c];
        }
        line[x] = sum * scaling.factor + scaling.shift[c];
      }
    }
  }
}

}  // namespace lockstep::data
