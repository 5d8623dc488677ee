// The steps, once for each instruction set: a file that includes this one has first chosen what the
// compiler may use, and has Floats, a vector of kLanes, and a struct Machine for what only that
// processor can do:
//   kName              of the instructions,
//   stream(to, value)  stores past the caches,
//   fence()            stands behind the last stream,
//   add_products<n>(sums, vectors, scalar)  adds n vectors, times the scalar, to as many sums.
// No macro tells the choice: C++ reads a file's macros before it follows its pragmas. Vectors are
// never passed by value: how that is done depends on the choice.
#include <utility>

#include "kernel/winograd_points.h"
#include "kernel/winograd_steps.h"

namespace lockstep::kernel::winograd {
namespace {

// --- Transforms ----------------------------------------------------------------------------------
//
// One matrix each, times a line of a tile: elements lie `from` apart and go `to` apart. Points of
// evaluation come in pairs of different sign, so that lines come in pairs of sum and difference.

// Every second element times the coefficients of a product, of which the last is 1.
template <int terms>
[[gnu::always_inline]] inline void add_up(const float (&coefficients)[terms], const Floats* d,
                                          Distance from, Floats& sum) {
  sum = d[2 * (terms - 1) * from];
#pragma GCC unroll 6
  for (int i = terms - 2; i >= 0; --i) sum += coefficients[i] * d[2 * i * from];
}

// B^T: pixels to as many positions. The row of a point is the product of x minus every other one.
template <const auto& points>
struct InputLine {
  static constexpr int kFrom = points.kCount, kTo = points.kCount;
  [[gnu::always_inline]] static void apply(const Floats* d, Distance from, Floats* v, Distance to) {
    add_up(points.of_all, d, from, v[0]);
#pragma GCC unroll 5
    for (int pair = 0; pair < points.kPairs; ++pair) {
      Floats even, odd;
      add_up(points.of_others[pair], d + 2 * from, from, even);
      add_up(points.of_others[pair], d + from, from, odd);
      v[(2 * pair + 1) * to] = even + points.power[pair][1] * odd;
      v[(2 * pair + 2) * to] = even - points.power[pair][1] * odd;
    }
    if constexpr (points.kInfinity) add_up(points.of_all, d + from, from, v[(kTo - 1) * to]);
  }
};

// What values at 0, and at pairs of points, are multiplied by: 1 in A, their shares in G.
enum class Factors { none, shares };

// A or G: the coefficients of a polynomial to its values at all points. At infinity that is the
// last coefficient alone.
template <const auto& points, int coefficients, Factors factors>
struct EvaluationLine {
  static constexpr int kFrom = coefficients, kTo = points.kCount;
  [[gnu::always_inline]] static void apply(const Floats* c, Distance from, Floats* values,
                                           Distance to) {
    constexpr bool kShares = factors == Factors::shares;
    values[0] = (kShares ? points.share_of_0 : 1) * c[0];
#pragma GCC unroll 5
    for (int pair = 0; pair < points.kPairs; ++pair) {
      const float share = kShares ? points.share[pair] : 1;
      Floats sum[2] = {c[0], points.power[pair][1] * c[from]};  // of even and of odd powers
#pragma GCC unroll 7
      for (int i = 2; i < coefficients; ++i) sum[i % 2] += points.power[pair][i] * c[i * from];
      values[(2 * pair + 1) * to] = share * (sum[0] + sum[1]);
      values[(2 * pair + 2) * to] = share * (sum[0] - sum[1]);
    }
    if constexpr (points.kInfinity) values[(kTo - 1) * to] = c[(coefficients - 1) * from];
  }
};

// A^T or G^T: the transpose of that.
template <const auto& points, int coefficients, Factors factors>
struct InterpolationLine {
  static constexpr int kFrom = points.kCount, kTo = coefficients;
  [[gnu::always_inline]] static void apply(const Floats* m, Distance from, Floats* c, Distance to) {
    constexpr bool kShares = factors == Factors::shares;
    Floats at[points.kPairs][2];
#pragma GCC unroll 5
    for (int pair = 0; pair < points.kPairs; ++pair) {
      const float share = kShares ? points.share[pair] : 1;
      const Floats plus = m[(2 * pair + 1) * from], minus = m[(2 * pair + 2) * from];
      at[pair][0] = share * (plus + minus);
      at[pair][1] = share * (plus - minus);
    }
#pragma GCC unroll 7
    for (int i = 0; i < coefficients; ++i) {
      Floats sum = points.power[0][i] * at[0][i % 2];
#pragma GCC unroll 5
      for (int pair = 1; pair < points.kPairs; ++pair) {
        sum += points.power[pair][i] * at[pair][i % 2];
      }
      if (i == 0) sum += (kShares ? points.share_of_0 : 1) * m[0];
      if (points.kInfinity && i == coefficients - 1) sum += m[(kFrom - 1) * from];
      c[i * to] = sum;
    }
  }
};

// All matrices of a side with a single tap.
struct UnchangedLine {
  static constexpr int kFrom = 1, kTo = 1;
  [[gnu::always_inline]] static void apply(const Floats* from, Distance, Floats* to, Distance) {
    *to = *from;
  }
};

// The matrices of one side, by its taps and the points where it is evaluated.
template <int taps, int count>
struct Lines {
  static constexpr auto& kAt = kPoints<count>;
  static constexpr int kTile = count + 1 - taps;
  using Input = InputLine<kAt>;
  using Gradient = EvaluationLine<kAt, kTile, Factors::none>;
  using Filter = EvaluationLine<kAt, taps, Factors::shares>;
  using Output = InterpolationLine<kAt, kTile, Factors::none>;
  using FilterGradient = InterpolationLine<kAt, taps, Factors::shares>;
};
template <int count>
struct Lines<1, count> {
  using Input = UnchangedLine;
  using Gradient = UnchangedLine;
  using Filter = UnchangedLine;
  using Output = UnchangedLine;
  using FilterGradient = UnchangedLine;
};

// What comes in floats, in vectors.
inline const Floats* vectors(const float* floats) {
  return reinterpret_cast<const Floats*>(floats);
}
inline Floats* vectors(float* floats) {
  return reinterpret_cast<Floats*>(floats);
}
constexpr Distance vectors(Distance floats) {
  return floats / kLanes;
}

// The rectangles that transforms read and write: the first element, and how far rows and columns
// are apart.
struct From {
  const Floats* first;
  Distance row, column;
};
struct To {
  Floats* first;
  Distance row, column;
};

// A matrix along every row, then one along every column of what that gave.
template <typename Row, typename Column>
[[gnu::always_inline]] inline void transform(const From& from, const To& to) {
  Floats lines[Column::kFrom][Row::kTo];
#pragma GCC unroll 12
  for (int row = 0; row < Column::kFrom; ++row) {
    Row::apply(from.first + row * from.row, from.column, lines[row], 1);
  }
#pragma GCC unroll 12
  for (int column = 0; column < Row::kTo; ++column) {
    Column::apply(&lines[0][column], Row::kTo, to.first + column * to.column, to.row);
  }
}

// Pixels from (top, left) on; copied to `border`, among zeros, where they reach over the plane's
// border.
template <int rows, int columns>
[[gnu::always_inline]] inline From pixels(const Floats* plane, Size size, int top, int left,
                                          Floats* border) {
  if (top >= 0 && left >= 0 && top + rows <= size.h && left + columns <= size.w) {
    return {plane + Distance{top} * size.w + left, size.w, 1};
  }
  for (int i = 0; i < rows; ++i) {
    const int row = top + i;
    const bool row_inside = row >= 0 && row < size.h;
    const Floats* const pixel = plane + Distance{row} * size.w;
    for (int j = 0; j < columns; ++j) {
      const int column = left + j;
      const bool inside = row_inside && column >= 0 && column < size.w;
      border[i * columns + j] = inside ? pixel[column] : Floats{};
    }
  }
  return {border, columns, 1};
}

template <Form form>
void input(const float* plane, Size size, int top, int left, float* v, Distance position) {
  constexpr Size kWindow = form.window;
  Floats border[kWindow.area()];
  transform<typename Lines<form.taps.w, form.window.w>::Input,
            typename Lines<form.taps.h, form.window.h>::Input>(
      pixels<kWindow.h, kWindow.w>(vectors(plane), size, top, left, border),
      {vectors(v), kWindow.w * vectors(position), vectors(position)});
}

template <Form form>
void gradient(const float* plane, Size size, int top, int left, float* w, Distance position) {
  Floats border[form.tile.area()];
  transform<typename Lines<form.taps.w, form.window.w>::Gradient,
            typename Lines<form.taps.h, form.window.h>::Gradient>(
      pixels<form.tile.h, form.tile.w>(vectors(plane), size, top, left, border),
      {vectors(w), form.window.w * vectors(position), vectors(position)});
}

// Exchanges the upper right and the lower left part of squares of 2 x `half` rows and columns, of
// two rows that are `half` apart.
template <int half, int... column>
[[gnu::always_inline]] inline void exchange(Floats& upper, Floats& lower,
                                            std::integer_sequence<int, column...>) {
  const Floats a = upper, b = lower;
  upper =
      __builtin_shufflevector(a, b, ((column & half) == 0 ? column : kLanes + column - half)...);
  lower =
      __builtin_shufflevector(a, b, ((column & half) == 0 ? column + half : kLanes + column)...);
}

template <int half>
[[gnu::always_inline]] inline void transpose_parts(Floats* rows) {
#pragma GCC unroll 16
  for (int row = 0; row < kLanes; ++row) {
    if ((row & half) != 0) continue;
    exchange<half>(rows[row], rows[row + half], std::make_integer_sequence<int, kLanes>());
  }
  if constexpr (half > 1) transpose_parts<half / 2>(rows);
}

// Exchanges rows and columns of a square of floats: first of its quarters, then within them.
[[gnu::always_inline]] inline void transpose(const Floats* from, Floats* to) {
  Floats rows[kLanes];
#pragma GCC unroll 16
  for (int row = 0; row < kLanes; ++row) rows[row] = from[row];
  transpose_parts<kLanes / 2>(rows);
#pragma GCC unroll 16
  for (int row = 0; row < kLanes; ++row) to[row] = rows[row];
}

template <Form form>
void filter(const float* filters, bool turned, float* u, Distance channel, Distance position) {
  constexpr int kAll = form.taps.area();
  const Floats* taps = vectors(filters);
  Floats other[kAll * kLanes];
  if (turned) {
    for (int tap = 0; tap < kAll; ++tap) {
      transpose(taps + tap * kLanes, other + (kAll - 1 - tap) * kLanes);
    }
    taps = other;
  }
  for (int c = 0; c < kLanes; ++c) {
    transform<typename Lines<form.taps.w, form.window.w>::Filter,
              typename Lines<form.taps.h, form.window.h>::Filter>(
        {taps + c, form.taps.w * kLanes, kLanes},
        {vectors(u + c * channel), form.window.w * vectors(position), vectors(position)});
  }
}

template <Form form>
void filter_gradient(const float* m, Distance position, float* dg, Distance tap) {
  transform<typename Lines<form.taps.w, form.window.w>::FilterGradient,
            typename Lines<form.taps.h, form.window.h>::FilterGradient>(
      {vectors(m), form.window.w * vectors(position), vectors(position)},
      {vectors(dg), form.taps.w * vectors(tap), vectors(tap)});
}

// --- Outputs -------------------------------------------------------------------------------------

// Calls finish(value, where in the plane) on each output of a tile and stores it.
template <int tile_h, int tile_w, bool whole, typename Finish>
[[gnu::always_inline]] inline void end_tile(const Floats* y, Size size, int top, int left,
                                            bool stream, Floats* plane, const Finish& finish) {
  const int rows = whole || top + tile_h <= size.h ? tile_h : size.h - top;
  const int columns = whole || left + tile_w <= size.w ? tile_w : size.w - left;
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column) {
      const Distance at = Distance{top + row} * size.w + left + column;
      Floats value = y[row * tile_w + column];
      finish(value, at);
      if (whole && stream) {
        Machine::stream(plane + at, value);
      } else {
        plane[at] = value;
      }
    }
  }
}

template <Form form>
void output(const float* m, Distance position, const Ending& ending, Size size, int top, int left,
            float* plane) {
  constexpr Size kTile = form.tile;
  Floats y[kTile.area()];
  transform<typename Lines<form.taps.w, form.window.w>::Output,
            typename Lines<form.taps.h, form.window.h>::Output>(
      {vectors(m), form.window.w * vectors(position), vectors(position)}, {y, kTile.w, 1});
  const bool whole = top + kTile.h <= size.h && left + kTile.w <= size.w;
  const auto end = [&](const auto& finish) {
    if (whole) {
      end_tile<kTile.h, kTile.w, true>(y, size, top, left, ending.stream, vectors(plane), finish);
    } else {
      end_tile<kTile.h, kTile.w, false>(y, size, top, left, false, vectors(plane), finish);
    }
  };
  const Floats* const addend = vectors(ending.addend);
  const Floats* const mask = vectors(ending.mask);
  if (ending.bias != nullptr || ending.relu) {
    const Floats bias = ending.bias != nullptr ? *vectors(ending.bias) : Floats{};
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

// How one product's operands lie. Scalars, in floats: from one row of sums to the next, from one
// term to the next, and how many terms make a group of `kGroup` floats. Vectors: from one term to
// the next, and from one row of sums to the next; those of one term are `apart`.
template <int vectors>
struct TilesOverChannels {
  static constexpr int kRow = kLanes, kTerm = 1, kTerms = kLanes, kGroup = kTilesAtOnce * kLanes;
  static constexpr int kNextTerm = vectors, kNextSums = kOutputsAtOnce;
  static constexpr Distance apart(Distance) { return 1; }
};
struct ChannelsOverTiles {
  static constexpr int kRow = 1, kTerm = kLanes, kTerms = kTilesTogether,
                       kGroup = kTilesTogether * kLanes;
  static constexpr int kNextTerm = 1, kNextSums = kFiltersAtOnce;
  static constexpr Distance apart(Distance blocks) { return blocks; }
};

// The micro-kernel: sums[row][i] (+)= over all terms, scalar[row][term] * vector[term][i]. All sums
// stay in registers.
template <typename Lie, int rows, int vectors>
[[gnu::noinline]] void multiply(int groups, const float* scalar, const Floats* vector,
                                Distance blocks, Floats* sums, bool accumulate) {
  const Distance apart = Lie::apart(blocks);
  Floats sum[rows][vectors];
#pragma GCC unroll 6
  for (int row = 0; row < rows; ++row) {
#pragma GCC unroll 3
    for (int i = 0; i < vectors; ++i) {
      sum[row][i] = accumulate ? sums[row * Lie::kNextSums + i] : Floats{};
    }
  }
  for (; groups > 0; --groups) {
#pragma GCC unroll 16
    for (int term = 0; term < Lie::kTerms; ++term) {
      Floats factor[vectors];
#pragma GCC unroll 3
      for (int i = 0; i < vectors; ++i) factor[i] = vector[i * apart + term * Lie::kNextTerm];
#pragma GCC unroll 6
      for (int row = 0; row < rows; ++row) {
        Machine::add_products<vectors>(sum[row], factor,
                                       scalar[row * Lie::kRow + term * Lie::kTerm]);
      }
    }
    scalar += Lie::kGroup;
    vector += Lie::kTerms * Lie::kNextTerm;
  }
#pragma GCC unroll 6
  for (int row = 0; row < rows; ++row) {
#pragma GCC unroll 3
    for (int i = 0; i < vectors; ++i) sums[row * Lie::kNextSums + i] = sum[row][i];
  }
}

using Multiply = void (*)(int, const float*, const Floats*, Distance, Floats*, bool);

template <int tiles, int vectors>
constexpr Multiply kForward = &multiply<TilesOverChannels<vectors>, tiles, vectors>;
inline constexpr Multiply kForwards[kOutputsAtOnce][kTilesAtOnce] = {
    {kForward<1, 1>, kForward<2, 1>, kForward<3, 1>, kForward<4, 1>, kForward<5, 1>,
     kForward<6, 1>},
    {kForward<1, 2>, kForward<2, 2>, kForward<3, 2>, kForward<4, 2>, kForward<5, 2>,
     kForward<6, 2>},
};
template <int vectors>
constexpr Multiply kWeight = &multiply<ChannelsOverTiles, kChannelsAtOnce, vectors>;
inline constexpr Multiply kWeights[kFiltersAtOnce] = {kWeight<1>, kWeight<2>, kWeight<3>};

inline void product(int tiles, int channel_blocks, int width, const float* v, const float* u,
                    float* m) {
  for (int tile = 0; tile < tiles; tile += kTilesAtOnce) {
    const int rows = tiles - tile < kTilesAtOnce ? tiles - tile : kTilesAtOnce;
    kForwards[width - 1][rows - 1](channel_blocks, v + Distance{tile} * channel_blocks * kLanes,
                                   vectors(u), 0, vectors(m) + tile * kOutputsAtOnce, false);
  }
}

inline void gradient_product(int tiles, int channel_blocks, int width, const float* v,
                             const float* w, Distance block, float* m, bool accumulate) {
  for (int c = 0; c < channel_blocks * kLanes; c += kChannelsAtOnce) {
    kWeights[width - 1](tiles / kTilesTogether, v + c / kLanes * block + c % kLanes, vectors(w),
                        vectors(block), vectors(m) + c * kFiltersAtOnce, accumulate);
  }
}

template <Form form>
constexpr Steps kSteps = {
    Machine::kName, kLanes,  form,         input<form>,      gradient<form>,
    filter<form>,   product, output<form>, gradient_product, filter_gradient<form>,
    Machine::fence};

template <std::size_t... i>
const Steps* steps_of(const Form& form, std::index_sequence<i...>) {
  const Steps* found = nullptr;
  ((kForms[i] == form ? void(found = &kSteps<kForms[i]>) : void()), ...);
  return found;
}
inline const Steps* steps_of(const Form& form) {
  return steps_of(form, std::make_index_sequence<std::size(kForms)>());
}

}  // namespace
}  // namespace lockstep::kernel::winograd
