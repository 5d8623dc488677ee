#pragma once

#include <cstddef>
#include <vector>

namespace lockstep::kernel::winograd {

// The steps of F(4x4, 3x3) and F(2x2, 5x5), each for eight channels or more, without threads:
// docs/kernels.md has the mathematics and the names. A tensor whose channels stand in blocks of
// eight is an array of Floats; distances are in Floats, too.

inline constexpr int kLanes = 8;
inline constexpr int kWindow = 6;                     // inputs of a tile, along a side
inline constexpr int kPositions = kWindow * kWindow;  // of a transformed tile

// Outputs of a tile, along a side.
constexpr int tile_of(int taps) {
  return kWindow + 1 - taps;
}

// Rows and vectors of the two products' register blocks: twelve sums each, of sixteen registers.
inline constexpr int kTilesAtOnce = 6;     // forward: six tiles ...
inline constexpr int kOutputsAtOnce = 2;   // ... by two blocks of output channels
inline constexpr int kChannelsAtOnce = 4;  // weights: four input channels ...
inline constexpr int kFiltersAtOnce = 3;   // ... by three blocks of output channels
inline constexpr int kTilesTogether = 4;   // weights: tiles come in multiples of this

using Floats [[gnu::vector_size(kLanes * sizeof(float)), gnu::may_alias]] = float;
using Distance = std::ptrdiff_t;

// Pixels of one image in one block of channels.
struct Plane {
  int h = 0, w = 0;
};

// What becomes of outputs on their way to memory: y -> max(y + bias, floor) in forward; in backward
// y + addend where the mask is positive and 0 elsewhere. Null stands for none.
struct Ending {
  const Floats* bias = nullptr;    // of these channels
  const Floats* addend = nullptr;  // a plane
  const Floats* mask = nullptr;    // a plane
  bool relu = false;
  bool stream = false;  // past the caches
};

struct Steps {
  const char* name;

  // v = B^T d B: d is the window of 6x6 pixels from (top, left) on, zeros outside the plane.
  void (*input)(const Floats* plane, Plane size, int top, int left, Floats* v, Distance position);

  // w = A dy A^T: dy are the pixels of a tile from (top, left) on, zeros outside the plane.
  void (*gradient)(const Floats* plane, Plane size, int top, int left, Floats* w,
                   Distance position);

  // u = G g G^T for 8x8 filters: Floats [tap][input channel] of output channels. `turned` makes the
  // filters of backward-data: rotated by half a turn, inputs and outputs exchanged.
  void (*filter)(const Floats* taps, bool turned, Floats* u, Distance channel, Distance position);

  // At one position, m[tile][output] = sum over channels of v[tile][channel] u[channel][output].
  // v: [tile / 6][block of channels][6]; u: [channel][vectors]; m: [tile][2]. vectors: 1 or 2.
  void (*product)(int tiles, int channel_blocks, int vectors, const Floats* v, const Floats* u,
                  Floats* m);

  // y = A^T m A, ended, to the pixels of a tile from (top, left) on; what is outside is dropped.
  void (*output)(const Floats* m, Distance position, const Ending& ending, Plane size, int top,
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

// For filters of 3x3 or 5x5 taps.
const Steps* portable_steps(int taps);
const Steps* avx2_steps(int taps);  // null where the compiler has none

// What this processor can execute, the fastest first.
std::vector<const Steps*> available_steps(int taps);

}  // namespace lockstep::kernel::winograd
