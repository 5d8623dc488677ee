#pragma once

#include <cstddef>
#include <vector>

namespace lockstep::kernel::winograd {

// The steps of a convolution in each of its forms, for a block of channels or more, without
// threads: docs/kernels.md has the mathematics and the names. Channels stand in blocks of as many
// as the processor's vectors have lanes, 8 or 16, and all memory is aligned to such vectors;
// distances are in floats.

// Rows and columns.
struct Size {
  int h = 0, w = 0;
  constexpr int area() const { return h * w; }
  constexpr bool operator==(const Size&) const = default;
};

// What is computed at once. Along a side with a single tap there is nothing to save, and nothing is
// transformed: a tile is a line.
struct Form {
  Size taps, tile, window;  // of the filters; outputs and inputs of a tile

  constexpr bool operator==(const Form&) const = default;
  constexpr bool is_line() const { return window.h == 1 || window.w == 1; }
  // Of a transformed tile.
  constexpr int positions() const { return window.area(); }
  // Where both polynomials are evaluated at 1, a transformed gradient is the sum of its tile.
  constexpr int sum_of_tile() const {
    return (window.h > 1 ? window.w : 0) + (window.w > 1 ? 1 : 0);
  }
};

// By the points at which a side with several taps is evaluated.
constexpr Form form_of(Size taps, int points) {
  const Size window = {taps.h == 1 ? 1 : points, taps.w == 1 ? 1 : points};
  return {taps, {window.h + 1 - taps.h, window.w + 1 - taps.w}, window};
}
// All that there are; of those with the same taps, the ones that round less first.
inline constexpr Form kForms[] = {
    form_of({3, 3}, 6),  form_of({3, 3}, 7),  form_of({3, 3}, 8), form_of({3, 3}, 9),
    form_of({5, 5}, 6),  form_of({5, 5}, 8),  form_of({1, 3}, 6), form_of({3, 1}, 6),
    form_of({1, 7}, 12), form_of({7, 1}, 12),
};

// Rows and vectors of the two products' register blocks: twelve sums each, which sixteen registers
// can hold, and which are enough to keep the multipliers of wider processors busy, too.
inline constexpr int kTilesAtOnce = 6;     // forward: six tiles ...
inline constexpr int kOutputsAtOnce = 2;   // ... by two blocks of output channels
inline constexpr int kChannelsAtOnce = 4;  // weights: four input channels ...
inline constexpr int kFiltersAtOnce = 3;   // ... by three blocks of output channels
inline constexpr int kTilesTogether = 4;   // weights: tiles come in multiples of this

using Distance = std::ptrdiff_t;

// What becomes of outputs on their way to memory: y -> max(y + bias, floor) in forward; in backward
// y + addend where the mask is positive and 0 elsewhere. Null stands for none.
struct Ending {
  const float* bias = nullptr;    // of these channels
  const float* addend = nullptr;  // a plane: one image, one block of channels
  const float* mask = nullptr;    // a plane
  bool relu = false;
  bool stream = false;  // past the caches
};

struct Steps {
  const char* name;
  int lanes;
  Form form;

  // v = B^T d B: d is the window of pixels from (top, left) on, zeros outside the plane.
  void (*input)(const float* plane, Size size, int top, int left, float* v, Distance position);

  // w = A dy A^T: dy are the pixels of a tile from (top, left) on, zeros outside the plane.
  void (*gradient)(const float* plane, Size size, int top, int left, float* w, Distance position);

  // u = G g G^T for the filters of a block by a block of channels: [tap][input channel][output
  // channel]. `turned` makes the filters of backward-data: rotated by half a turn, inputs and
  // outputs exchanged.
  void (*filter)(const float* taps, bool turned, float* u, Distance channel, Distance position);

  // At one position, m[tile][output] = sum over channels of v[tile][channel] u[channel][output].
  // Of vectors, v: [tile / 6][block of channels][6]; u: [channel][vectors], 1 or 2; m: [tile][2].
  void (*product)(int tiles, int channel_blocks, int vectors, const float* v, const float* u,
                  float* m);

  // y = A^T m A, ended, to the pixels of a tile from (top, left) on; what is outside is dropped.
  void (*output)(const float* m, Distance position, const Ending& ending, Size size, int top,
                 int left, float* plane);

  // At one position, m[channel][filter] (+)= sum over tiles of v[tile][channel] w[tile][filter].
  // Of vectors, v, w: [block][tile], blocks `block` apart; m: [channel][3]. vectors: 1, 2 or 3.
  void (*gradient_product)(int tiles, int channel_blocks, int vectors, const float* v,
                           const float* w, Distance block, float* m, bool accumulate);

  // dg = G^T m G: the gradient of one input channel's filters, a tap every `tap` floats.
  void (*filter_gradient)(const float* m, Distance position, float* dg, Distance tap);

  // Behind the last of a thread's outputs that were streamed.
  void (*fence)();
};

// Null where this compiler makes none.
const Steps* portable_steps(const Form& form);
const Steps* avx2_steps(const Form& form);
const Steps* avx512_steps(const Form& form);

// What this processor can execute with so many lanes, the fastest first.
std::vector<const Steps*> available_steps(const Form& form, int lanes);

}  // namespace lockstep::kernel::winograd
