// The steps, once for each instruction set: a file that includes this one has first chosen what the
// compiler may use, and has a struct Machine for what only that processor can do:
//   kName              of the instructions,
//   stream(to, value)  stores past the caches,
//   fence()            stands behind the last stream,
//   add_products<n>(sums, vectors, scalar)  adds n vectors, times the scalar, to as many sums.
// No macro tells the choice: C++ reads a file's macros before it follows its pragmas. Vectors are
// never passed by value: how that is done depends on the choice.
#include "kernel/winograd_steps.h"

namespace lockstep::kernel::winograd {
namespace {

// --- Transforms ----------------------------------------------------------------------------------
//
// One matrix each, times a line of a tile: elements lie `from` apart and go `to` apart. The points
// of evaluation are 0, 1, -1, 2, -2 and infinity, so that lines come in pairs of sum and
// difference.

// B^T: six pixels to six positions.
struct InputLine {
  static constexpr int kFrom = kWindow, kTo = kWindow;
  [[gnu::always_inline]] static void apply(const Floats* d, Distance from, Floats* v, Distance to) {
    const Floats d0 = d[0], d1 = d[from], d2 = d[2 * from];
    const Floats d3 = d[3 * from], d4 = d[4 * from], d5 = d[5 * from];
    const Floats even_1 = d4 - 4.0F * d2, odd_1 = d3 - 4.0F * d1;
    const Floats even_2 = d4 - d2, odd_2 = d3 - d1;
    v[0] = 4.0F * d0 + (d4 - 5.0F * d2);
    v[to] = even_1 + odd_1;
    v[2 * to] = even_1 - odd_1;
    v[3 * to] = even_2 + 2.0F * odd_2;
    v[4 * to] = even_2 - 2.0F * odd_2;
    v[5 * to] = 4.0F * d1 + (d5 - 5.0F * d3);
  }
};

// What values at 0, at 1 and -1, and at 2 and -2 are multiplied by: 1 in A, these in G.
struct Plain {
  static constexpr float kAt0 = 1, kAt1 = 1, kAt2 = 1;
};
struct Shared {
  static constexpr float kAt0 = 1.0F / 4, kAt1 = -1.0F / 6, kAt2 = 1.0F / 24;
};

// A or G: the coefficients of a polynomial to its values at all points. At infinity that is the
// last coefficient alone.
template <int coefficients, typename Factors>
struct EvaluationLine {
  static constexpr int kFrom = coefficients, kTo = kWindow;
  [[gnu::always_inline]] static void apply(const Floats* c, Distance from, Floats* values,
                                           Distance to) {
    Floats at_1[2] = {c[0], c[from]};  // sums of even and of odd powers
    Floats at_2[2] = {c[0], 2.0F * c[from]};
#pragma GCC unroll 5
    for (int i = 2; i < coefficients; ++i) {
      at_1[i % 2] += c[i * from];
      at_2[i % 2] += static_cast<float>(1 << i) * c[i * from];
    }
    values[0] = Factors::kAt0 * c[0];
    values[to] = Factors::kAt1 * (at_1[0] + at_1[1]);
    values[2 * to] = Factors::kAt1 * (at_1[0] - at_1[1]);
    values[3 * to] = Factors::kAt2 * (at_2[0] + at_2[1]);
    values[4 * to] = Factors::kAt2 * (at_2[0] - at_2[1]);
    values[5 * to] = c[(coefficients - 1) * from];
  }
};

// A^T or G^T: the transpose of that.
template <int coefficients, typename Factors>
struct InterpolationLine {
  static constexpr int kFrom = kWindow, kTo = coefficients;
  [[gnu::always_inline]] static void apply(const Floats* m, Distance from, Floats* c, Distance to) {
    const Floats m1 = m[from], m2 = m[2 * from], m3 = m[3 * from], m4 = m[4 * from];
    const Floats at_1[2] = {Factors::kAt1 * (m1 + m2), Factors::kAt1 * (m1 - m2)};
    const Floats at_2[2] = {Factors::kAt2 * (m3 + m4), Factors::kAt2 * (m3 - m4)};
#pragma GCC unroll 5
    for (int i = 0; i < coefficients; ++i) {
      Floats sum = at_1[i % 2] + static_cast<float>(1 << i) * at_2[i % 2];
      if (i == 0) sum += Factors::kAt0 * m[0];
      if (i == coefficients - 1) sum += m[5 * from];
      c[i * to] = sum;
    }
  }
};

// The squares that transforms read and write: the first element, and how far rows and columns are
// apart.
struct From {
  const Floats* first;
  Distance row, column;
};
struct To {
  Floats* first;
  Distance row, column;
};

// The matrix along every row, then along every column of what that gave.
template <typename Line>
[[gnu::always_inline]] inline void transform(const From& from, const To& to) {
  Floats lines[Line::kFrom][Line::kTo];
#pragma GCC unroll 6
  for (int row = 0; row < Line::kFrom; ++row) {
    Line::apply(from.first + row * from.row, from.column, lines[row], 1);
  }
#pragma GCC unroll 6
  for (int column = 0; column < Line::kTo; ++column) {
    Line::apply(&lines[0][column], Line::kTo, to.first + column * to.column, to.row);
  }
}

// A square of `side` pixels from (top, left) on; copied to `border`, among zeros, where it reaches
// over the plane's border.
template <int side>
[[gnu::always_inline]] inline From pixels(const Floats* plane, Plane size, int top, int left,
                                          Floats* border) {
  if (top >= 0 && left >= 0 && top + side <= size.h && left + side <= size.w) {
    return {plane + Distance{top} * size.w + left, size.w, 1};
  }
  for (int i = 0; i < side; ++i) {
    const int row = top + i;
    const bool row_inside = row >= 0 && row < size.h;
    const Floats* const pixel = plane + Distance{row} * size.w;
    for (int j = 0; j < side; ++j) {
      const int column = left + j;
      const bool inside = row_inside && column >= 0 && column < size.w;
      border[i * side + j] = inside ? pixel[column] : Floats{};
    }
  }
  return {border, side, 1};
}

inline void input(const Floats* plane, Plane size, int top, int left, Floats* v,
                  Distance position) {
  Floats border[kWindow * kWindow];
  transform<InputLine>(pixels<kWindow>(plane, size, top, left, border),
                       {v, kWindow * position, position});
}

template <int tile>
void gradient(const Floats* plane, Plane size, int top, int left, Floats* w, Distance position) {
  Floats border[tile * tile];
  transform<EvaluationLine<tile, Plain>>(pixels<tile>(plane, size, top, left, border),
                                         {w, kWindow * position, position});
}

// Exchanges rows and columns of 8x8 floats: of 4x4 quarters, of 2x2 pairs, of neighbours.
[[gnu::always_inline]] inline void transpose(const Floats* from, Floats* to) {
  Floats quarters[kLanes], pairs[kLanes];
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    const Floats a = from[i], b = from[i + 4];
    quarters[i] = __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11);
    quarters[i + 4] = __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15);
  }
#pragma GCC unroll 4
  for (int half = 0; half < 4; ++half) {
    const int i = half + half / 2 * 2;  // 0, 1, 4, 5
    const Floats a = quarters[i], b = quarters[i + 2];
    pairs[i] = __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13);
    pairs[i + 2] = __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15);
  }
#pragma GCC unroll 4
  for (int i = 0; i < kLanes; i += 2) {
    const Floats a = pairs[i], b = pairs[i + 1];
    to[i] = __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14);
    to[i + 1] = __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15);
  }
}

template <int side>
void filter(const Floats* taps, bool turned, Floats* u, Distance channel, Distance position) {
  constexpr int kAll = side * side;
  Floats other[kAll * kLanes];
  if (turned) {
    for (int tap = 0; tap < kAll; ++tap) {
      transpose(taps + tap * kLanes, other + (kAll - 1 - tap) * kLanes);
    }
    taps = other;
  }
  for (int c = 0; c < kLanes; ++c) {
    transform<EvaluationLine<side, Shared>>({taps + c, side * kLanes, kLanes},
                                            {u + c * channel, kWindow * position, position});
  }
}

template <int side>
void filter_gradient(const Floats* m, Distance position, Floats* dg, Distance tap) {
  transform<InterpolationLine<side, Shared>>({m, kWindow * position, position},
                                             {dg, side * tap, tap});
}

// --- Outputs -------------------------------------------------------------------------------------

// Calls finish(value, where in the plane) on each output of a tile and stores it.
template <int tile, bool whole, typename Finish>
[[gnu::always_inline]] inline void end_tile(const Floats* y, Plane size, int top, int left,
                                            bool stream, Floats* plane, const Finish& finish) {
  const int rows = whole || top + tile <= size.h ? tile : size.h - top;
  const int columns = whole || left + tile <= size.w ? tile : size.w - left;
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column) {
      const Distance at = Distance{top + row} * size.w + left + column;
      Floats value = y[row * tile + column];
      finish(value, at);
      if (whole && stream) {
        Machine::stream(plane + at, value);
      } else {
        plane[at] = value;
      }
    }
  }
}

template <int tile>
void output(const Floats* m, Distance position, const Ending& ending, Plane size, int top, int left,
            Floats* plane) {
  Floats y[tile * tile];
  transform<InterpolationLine<tile, Plain>>({m, kWindow * position, position}, {y, tile, 1});
  const bool whole = top + tile <= size.h && left + tile <= size.w;
  const auto end = [&](const auto& finish) {
    if (whole) {
      end_tile<tile, true>(y, size, top, left, ending.stream, plane, finish);
    } else {
      end_tile<tile, false>(y, size, top, left, false, plane, finish);
    }
  };
  const Floats* const addend = ending.addend;
  const Floats* const mask = ending.mask;
  if (ending.bias != nullptr || ending.relu) {
    const Floats bias = ending.bias != nullptr ? *ending.bias : Floats{};
    const Floats floor = Floats{} - (ending.relu ? 0.0F : __builtin_inff());
    end([&](Floats& value, Distance) {
      value += bias;
      value = value < floor ? floor : value;
    });
  } else if (addend != nullptr && mask != nullptr) {
    end([&](Floats& value, Distance at) {
      value = mask[at] > 0.0F ? value + addend[at] : Floats{};
    });
  } else if (addend != nullptr) {
    end([&](Floats& value, Distance at) { value += addend[at]; });
  } else if (mask != nullptr) {
    end([&](Floats& value, Distance at) { value = mask[at] > 0.0F ? value : Floats{}; });
  } else {
    end([](Floats&, Distance) {});
  }
}

// --- Products ------------------------------------------------------------------------------------

// Where the scalars lie that one product multiplies vectors by, in floats: from one row of sums to
// the next, from one term to the next, and how many terms make a group of `group` floats.
struct TilesOverChannels {
  static constexpr int kRow = kLanes, kTerm = 1, kTerms = kLanes, kGroup = kTilesAtOnce * kLanes;
};
struct ChannelsOverTiles {
  static constexpr int kRow = 1, kTerm = kLanes, kTerms = kTilesTogether,
                       kGroup = kTilesTogether * kLanes;
};

// The micro-kernel: sums[row][i] (+)= over all terms, scalar[row][term] * vector[term][i]. All sums
// stay in registers. Vectors of one term are `apart`, those of the next term follow `next` behind.
template <typename Scalars, int rows, int vectors, int next>
[[gnu::noinline]] void multiply(int groups, const float* scalar, const Floats* vector,
                                Distance apart, Floats* sums, Distance row_of_sums,
                                bool accumulate) {
  Floats sum[rows][vectors];
#pragma GCC unroll 6
  for (int row = 0; row < rows; ++row) {
#pragma GCC unroll 3
    for (int i = 0; i < vectors; ++i) {
      sum[row][i] = accumulate ? sums[row * row_of_sums + i] : Floats{};
    }
  }
  for (; groups > 0; --groups) {
#pragma GCC unroll 8
    for (int term = 0; term < Scalars::kTerms; ++term) {
      Floats factor[vectors];
#pragma GCC unroll 3
      for (int i = 0; i < vectors; ++i) factor[i] = vector[i * apart + term * next];
#pragma GCC unroll 6
      for (int row = 0; row < rows; ++row) {
        Machine::add_products<vectors>(sum[row], factor,
                                       scalar[row * Scalars::kRow + term * Scalars::kTerm]);
      }
    }
    scalar += Scalars::kGroup;
    vector += Scalars::kTerms * next;
  }
#pragma GCC unroll 6
  for (int row = 0; row < rows; ++row) {
#pragma GCC unroll 3
    for (int i = 0; i < vectors; ++i) sums[row * row_of_sums + i] = sum[row][i];
  }
}

using Multiply = void (*)(int, const float*, const Floats*, Distance, Floats*, Distance, bool);

template <int tiles, int vectors>
constexpr Multiply kForward = &multiply<TilesOverChannels, tiles, vectors, vectors>;
inline constexpr Multiply kForwards[kOutputsAtOnce][kTilesAtOnce] = {
    {kForward<1, 1>, kForward<2, 1>, kForward<3, 1>, kForward<4, 1>, kForward<5, 1>,
     kForward<6, 1>},
    {kForward<1, 2>, kForward<2, 2>, kForward<3, 2>, kForward<4, 2>, kForward<5, 2>,
     kForward<6, 2>},
};
template <int vectors>
constexpr Multiply kWeight = &multiply<ChannelsOverTiles, kChannelsAtOnce, vectors, 1>;
inline constexpr Multiply kWeights[kFiltersAtOnce] = {kWeight<1>, kWeight<2>, kWeight<3>};

inline void product(int tiles, int channel_blocks, int vectors, const Floats* v, const Floats* u,
                    Floats* m) {
  for (int tile = 0; tile < tiles; tile += kTilesAtOnce) {
    const int rows = tiles - tile < kTilesAtOnce ? tiles - tile : kTilesAtOnce;
    kForwards[vectors - 1][rows - 1](
        channel_blocks, reinterpret_cast<const float*>(v + Distance{tile} * channel_blocks), u, 1,
        m + tile * kOutputsAtOnce, kOutputsAtOnce, false);
  }
}

inline void gradient_product(int tiles, int channel_blocks, int vectors, const Floats* v,
                             const Floats* w, Distance block, Floats* m, bool accumulate) {
  for (int c = 0; c < channel_blocks * kLanes; c += kChannelsAtOnce) {
    const Floats* channels = v + c / kLanes * block;
    kWeights[vectors - 1](tiles / kTilesTogether,
                          reinterpret_cast<const float*>(channels) + c % kLanes, w, block,
                          m + c * kFiltersAtOnce, kFiltersAtOnce, accumulate);
  }
}

template <int taps>
constexpr Steps kSteps = {Machine::kName,
                          input,
                          gradient<tile_of(taps)>,
                          filter<taps>,
                          product,
                          output<tile_of(taps)>,
                          gradient_product,
                          filter_gradient<taps>,
                          Machine::fence};

}  // namespace
}  // namespace lockstep::kernel::winograd
