#pragma once

#include <cstddef>
#include <vector>

namespace lockstep::kernel::winograd {

// The steps of F(4x4, 3x3) and F(2x2, 5x5), and of F(4, 3) and F(6, 7) along rows or columns, each
// for eight channels or more, without threads: docs/kernels.md has the mathematics and the names. A
// tensor whose channels stand in blocks of eight is an array of Floats; distances are in Floats,
// too.

inline constexpr int kLanes = 8;

// Rows and columns.
struct Size {
  int h = 0, w = 0;
  constexpr int area() const { return h * w; }
  constexpr bool operator==(const Size& other) const { return h == other.h && w == other.w; }
};

// What is computed at once. Along a side with a single tap there is nothing to save, and nothing is
// transformed: a tile is a line.
struct Form {
  Size taps, tile, window;  // of the filters; outputs and inputs of a tile

  constexpr bool is_line() const { return window.h == 1 || window.w == 1; }
  // Of a transformed tile.
  constexpr int positions() const { return window.area(); }
  // Where both polynomials are evaluated at 1, a transformed gradient is the sum of its tile.
  constexpr int sum_of_tile() const {
    return (window.h > 1 ? window.w : 0) + (window.w > 1 ? 1 : 0);
  }
};

constexpr int window_of(int taps) {
  constexpr int kOfFewTaps = 6, kOfSevenTaps = 12;
  if (taps == 1) return 1;
  return taps < 7 ? kOfFewTaps : kOfSevenTaps;
}
constexpr Form form_of(Size taps) {
  const Size window = {window_of(taps.h), window_of(taps.w)};
  return {taps, {window.h + 1 - taps.h, window.w + 1 - taps.w}, window};
}

// Rows and vectors of the two products' register blocks: twelve sums each, of sixteen registers.
inline constexpr int kTilesAtOnce = 6;     // forward: six tiles ...
inline constexpr int kOutputsAtOnce = 2;   // ... by two blocks of output channels
inline constexpr int kChannelsAtOnce = 4;  // weights: four input channels ...
inline constexpr int kFiltersAtOnce = 3;   // ... by three blocks of output channels
inline constexpr int kTilesTogether = 4;   // weights: tiles come in multiples of this

using Floats [[gnu::vector_size(kLanes * sizeof(float)), gnu::may_alias]] = float;
using Distance = std::ptrdiff_t;

// What becomes of outputs on their way to memory: y -> max(y + bias, floor) in forward; in backward
// y + addend where the mask is positive and 0 elsewhere. Null stands for none.
struct Ending {
  const Floats* bias = nullptr;    // of these channels
  const Floats* addend = nullptr;  // a plane: one image, one block of channels
  const Floats* mask = nullptr;    // a plane
  bool relu = false;
  bool stream = false;  // past the caches
};

struct Steps {
  const char* name;
  Form form;

  // v = B^T d B: d is the window of pixels from (top, left) on, zeros outside the plane.
  void (*input)(const Floats* plane, Size size, int top, int left, Floats* v, Distance position);

  // w = A dy A^T: dy are the pixels of a tile from (top, left) on, zeros outside the plane.
  void (*gradient)(const Floats* plane, Size size, int top, int left, Floats* w, Distance position);

  // u = G g G^T for 8x8 filters: Floats [tap][input channel] of output channels. `turned` makes the
  // filters of backward-data: rotated by half a turn, inputs and outputs exchanged.
  void (*filter)(const Floats* taps, bool turned, Floats* u, Distance channel, Distance position);

  // At one position, m[tile][output] = sum over channels of v[tile][channel] u[channel][output].
  // v: [tile / 6][block of channels][6]; u: [channel][vectors]; m: [tile][2]. vectors: 1 or 2.
  void (*product)(int tiles, int channel_blocks, int vectors, const Floats* v, const Floats* u,
                  Floats* m);

  // y = A^T m A, ended, to the pixels of a tile from (top, left) on; what is outside is dropped.
  void (*output)(const Floats* m, Distance position, const Ending& ending, Size size, int top,
                 int left, Floats* plane);

  // At one position, m[channel][filter] (+)= sum over tiles of v[tile][channel] w[tile][filter].
  // v, w: [block][tile], blocks `block` apart; m: [channel][3]. vectors: 1, 2 or 3.
  void (*gradient_product)(int tiles, int channel_blocks, int vectors, const Floats* v,
                           const Floats* w, Distance block, Floats* m, bool accumulate);

  // dg = G^T m G: the gradient of one input channel's filters, a tap every `tap` Floats.
  void (*filter_gradient)(const Floats* m, Distance position, Floats* dg, Distance tap);

  // Behind the last of a thread's outputs that were streamed.
  void (*fence)();
};

// Null where there are none for such filters, or by this compiler.
const Steps* portable_steps(Size taps);
const Steps* avx2_steps(Size taps);

// What this processor can execute, the fastest first.
std::vector<const Steps*> available_steps(Size taps);

}  // namespace lockstep::kernel::winograd
