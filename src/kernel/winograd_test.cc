// Every pass against a plain convolution in double precision, by every set of instructions that the
// processor has. The bounds of rounding are those that docs/kernels.md states.
#include "kernel/winograd.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <omp.h>

#include <cmath>
#include <initializer_list>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "base/buffer.h"
#include "base/rng.h"

namespace lockstep::kernel {
namespace {

using Plain = std::vector<float>;  // images, channels, rows, columns, in this order
using Exact = std::vector<double>;

constexpr double kRounding = 0x1p-24;
constexpr double kSmallest = 0x1p-149;

// What a form loses.
struct Loss {
  int roundings;     // of any number on its way through both transforms and that of the sum
  double in, out;    // what numbers grow by in transforms of inputs, and of sums or gradients
  double of_random;  // of random numbers, beside the result
  double range;      // pixels up to here may meet gradients of 1
};
Loss loss(const winograd::Form& form) {
  switch (form.positions()) {
    case 12:
      return {24, 140, 505, 8e-6, 1e30};
    case 49:
    case 64:
      return {26, 15 * 15, 67 * 67, 8e-6, 1e30};
    case 81:
      return {36, 166 * 166, 8217.0 * 8217, 14e-6, 1e24};
    default:
      return {24, 10 * 10, 19 * 19, 4e-6, 1e30};
  }
}

// Of the largest result, a product of a tap and a pixel too small for a float can lose this much:
// products, and taps that become up to 3 units smaller, meet what numbers grow by.
double underflow(const winograd::Form& form) {
  return 3 * loss(form).in * loss(form).out * kSmallest;
}

Plain noise(std::size_t n, std::uint64_t seed, float scale = 1) {
  Plain values(n);
  const Rng rng(seed);
  for (std::size_t i = 0; i < n; ++i) values[i] = scale * (2 * rng.uniform(i) - 1);
  return values;
}

// Over eighteen orders of magnitude.
Plain large_range(std::size_t n, std::uint64_t seed) {
  Plain values = noise(n, seed);
  const Rng rng(seed + 1);
  for (std::size_t i = 0; i < n; ++i) values[i] *= std::pow(10.0F, 18 * rng.uniform(i) - 9);
  return values;
}

struct Sizes {
  int n, c, h, w;
  std::size_t all() const { return std::size_t(n) * c * h * w; }
  std::size_t at(int i, int j, int y, int x) const {
    return ((std::size_t(i) * c + j) * h + y) * w + x;
  }
};
Sizes x_sizes(const WinogradShape& s) {
  return {s.images, s.in_channels, s.in_h, s.in_w};
}
Sizes y_sizes(const WinogradShape& s) {
  return {s.images, s.out_channels, s.out_h, s.out_w};
}
Sizes filter_sizes(const WinogradShape& s) {
  return {s.out_channels, s.in_channels, s.taps.h, s.taps.w};
}

// Calls f(plain position, position in memory) for each element; nChw8c or nChw16c.
template <typename F>
void for_each_blocked(const Sizes& s, int block, const F& f) {
  for (int n = 0; n < s.n; ++n) {
    for (int c = 0; c < s.c; ++c) {
      for (int i = 0; i < s.h * s.w; ++i) {
        const std::size_t plane = std::size_t(n) * (s.c / block) + c / block;
        f(s.at(n, c, 0, i), (plane * s.h * s.w + i) * block + c % block);
      }
    }
  }
}
// The same for filters; OIhw8i8o or OIhw16i16o.
template <typename F>
void for_each_filter(const Sizes& s, int block, const F& f) {
  for (int o = 0; o < s.n; ++o) {
    for (int i = 0; i < s.c; ++i) {
      for (int tap = 0; tap < s.h * s.w; ++tap) {
        const std::size_t square = std::size_t(o / block) * (s.c / block) + i / block;
        f(s.at(o, i, 0, tap), ((square * s.h * s.w + tap) * block + i % block) * block + o % block);
      }
    }
  }
}

// Memory as the kernels want it, and without anything in it that they could take for a number.
Buffer unknown(std::size_t bytes) {
  Buffer buffer(bytes);
  std::ranges::fill(buffer.floats(), std::numeric_limits<float>::quiet_NaN());
  return buffer;
}
Buffer blocked(const Plain& plain, const Sizes& sizes, int block) {
  Buffer buffer(plain.size() * sizeof(float));
  for_each_blocked(sizes, block,
                   [&](std::size_t from, std::size_t to) { buffer.floats()[to] = plain[from]; });
  return buffer;
}
Plain plain(const Buffer& buffer, const Sizes& sizes, int block) {
  Plain values(sizes.all());
  for_each_blocked(sizes, block,
                   [&](std::size_t to, std::size_t from) { values[to] = buffer.floats()[from]; });
  return values;
}

struct Problem {
  WinogradShape shape;
  Plain x, filters, dy;
};
Problem random_problem(const WinogradShape& s) {
  return {s, noise(x_sizes(s).all(), 1), noise(filter_sizes(s).all(), 2),
          noise(y_sizes(s).all(), 3)};
}

struct Results {
  Plain y, dx, d_filters, d_bias;
};
struct Extras {
  Plain bias, addend, mask;  // empty for none
  bool relu = false;
};

float* data(const Buffer& buffer) {
  return buffer.size() == 0 ? nullptr : buffer.floats().data();
}

Results run(const Problem& p, const winograd::Steps* steps, const Extras& extras = {}) {
  const WinogradShape& s = p.shape;
  const Winograd conv(s, steps);
  const Buffer x = blocked(p.x, x_sizes(s), s.block);
  const Buffer dy = blocked(p.dy, y_sizes(s), s.block);
  const Sizes of_filters = filter_sizes(s);
  const Buffer filters(p.filters.size() * sizeof(float));
  for_each_filter(of_filters, s.block, [&](std::size_t from, std::size_t to) {
    filters.floats()[to] = p.filters[from];
  });
  const auto optional = [&](const Plain& values, const Sizes& sizes) {
    return values.empty() ? Buffer() : blocked(values, sizes, s.block);
  };
  const Buffer bias = optional(extras.bias, {1, s.out_channels, 1, 1});
  const Buffer addend = optional(extras.addend, x_sizes(s));
  const Buffer mask = optional(extras.mask, x_sizes(s));

  Results results;
  const Buffer y = unknown(dy.size());
  Buffer scratch = unknown(conv.forward_scratch_bytes());
  conv.forward(data(x), data(filters), data(bias), extras.relu, data(y), data(scratch));
  results.y = plain(y, y_sizes(s), s.block);

  const Buffer dx = unknown(x.size());
  scratch = unknown(conv.backward_data_scratch_bytes());
  conv.backward_data(data(dy), data(filters), data(addend), data(mask), data(dx), data(scratch));
  results.dx = plain(dx, x_sizes(s), s.block);

  const Buffer d_filters = unknown(filters.size());
  const Buffer d_bias = unknown(static_cast<std::size_t>(s.out_channels) * sizeof(float));
  scratch = unknown(conv.backward_weights_scratch_bytes());
  conv.backward_weights(data(x), data(dy), data(d_filters), data(d_bias), data(scratch));
  results.d_filters.resize(p.filters.size());
  for_each_filter(of_filters, s.block, [&](std::size_t to, std::size_t from) {
    results.d_filters[to] = d_filters.floats()[from];
  });
  results.d_bias = plain(d_bias, {1, s.out_channels, 1, 1}, s.block);
  return results;
}

struct ExactResults {
  Exact y, dx, d_filters, d_bias;
};
ExactResults exact(const Problem& p) {
  const WinogradShape& s = p.shape;
  const Sizes xs = x_sizes(s), ys = y_sizes(s), fs = filter_sizes(s);
  ExactResults r{Exact(ys.all()), Exact(xs.all()), Exact(fs.all()),
                 Exact(static_cast<std::size_t>(s.out_channels))};
  for (int n = 0; n < s.images; ++n) {
    for (int o = 0; o < s.out_channels; ++o) {
      for (int row = 0; row < s.out_h; ++row) {
        for (int column = 0; column < s.out_w; ++column) {
          const std::size_t y = ys.at(n, o, row, column);
          r.d_bias[static_cast<std::size_t>(o)] += p.dy[y];
          for (int tap = 0; tap < s.taps.area(); ++tap) {
            const int in_row = row + tap / s.taps.w - s.top;
            const int in_column = column + tap % s.taps.w - s.left;
            if (in_row < 0 || in_row >= s.in_h || in_column < 0 || in_column >= s.in_w) continue;
            for (int c = 0; c < s.in_channels; ++c) {
              const std::size_t x = xs.at(n, c, in_row, in_column);
              const std::size_t f = fs.at(o, c, 0, tap);
              r.y[y] += double(p.x[x]) * p.filters[f];
              r.dx[x] += double(p.dy[y]) * p.filters[f];
              r.d_filters[f] += double(p.x[x]) * p.dy[y];
            }
          }
        }
      }
    }
  }
  return r;
}

// What docs/kernels.md calls the size of an element: the same sums as the kernels', of absolute
// values by matrices of absolute values.
constexpr int kMost = 12;
struct Matrix {
  int rows = 0, columns = 0;
  double at[kMost][kMost] = {};
};

// One side of a form.
struct Side {
  int taps, tile, window;
};

Side down(const winograd::Form& form) {
  return {form.taps.h, form.tile.h, form.window.h};
}
Side across(const winograd::Form& form) {
  return {form.taps.w, form.tile.w, form.window.w};
}

// The points of evaluation; without infinity, where there is one.
std::vector<double> points_of(const Side& side) {
  if (side.window == 1) return {};
  if (side.window == 12) return {0, 1, -1, 0.375, -0.375, 0.75, -0.75, 1.5, -1.5, 3, -3};
  if (side.window == 9) return {0, 1, -1, 0.5, -0.5, 1.5, -1.5, 4, -4};
  if (side.window > 6) return {0, 1, -1, 2, -2, 0.5, -0.5};
  return {0, 1, -1, 2, -2};
}

// Coefficients of the product of x - point over all points but one.
std::vector<double> product_without(std::size_t left_out, const std::vector<double>& points) {
  std::vector<double> product = {1};
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (i == left_out) continue;
    product.push_back(0);
    for (std::size_t k = product.size(); k-- > 0;) {
      product[k] = (k > 0 ? product[k - 1] : 0) - points[i] * product[k];
    }
  }
  return product;
}

Matrix inputs(const Side& side) {  // B^T
  const std::vector<double> points = points_of(side);
  Matrix matrix{side.window, side.window};
  for (int p = 0; p < side.window; ++p) {
    int i = 0;
    for (const double c : product_without(p, points)) matrix.at[p][i++] = std::abs(c);
  }
  return matrix;
}

// Evaluates a polynomial at all points; at infinity only its last coefficient counts. Values are
// divided by the product of a point's distances to the others, or not.
Matrix evaluation(int coefficients, const Side& side, bool divided) {
  const std::vector<double> points = points_of(side);
  const int finite = static_cast<int>(points.size());
  Matrix matrix{side.window, coefficients};
  for (int p = 0; p < finite; ++p) {
    double distances = 1;
    for (int other = 0; other < finite; ++other) {
      if (divided && other != p) distances *= points[p] - points[other];
    }
    for (int i = 0; i < coefficients; ++i) {
      matrix.at[p][i] = std::abs(std::pow(points[p], i) / distances);
    }
  }
  if (finite < side.window) matrix.at[finite][coefficients - 1] = 1;
  return matrix;
}
Matrix transposed(const Matrix& m) {
  Matrix matrix{m.columns, m.rows};
  for (int i = 0; i < m.rows; ++i) {
    for (int j = 0; j < m.columns; ++j) matrix.at[j][i] = m.at[i][j];
  }
  return matrix;
}
Matrix gradients(const Side& side) {  // A
  return evaluation(side.tile, side, false);
}
Matrix filters(const Side& side) {  // G
  return evaluation(side.taps, side, true);
}

// What goes along columns, and along rows.
struct Matrices {
  Matrix down, across;
};
template <typename Make>
Matrices both_sides(const Make& make, const winograd::Form& form) {
  return {make(down(form)), make(across(form))};
}

struct Square {  // or less
  int columns = 0;
  std::vector<double> values;
};

Square transform(const Matrices& m, const Square& from) {
  const auto& [down, across] = m;
  Square half{across.rows, std::vector<double>(std::size_t(down.columns) * across.rows)};
  Square to{across.rows, std::vector<double>(std::size_t(down.rows) * across.rows)};
  for (int i = 0; i < down.columns; ++i) {
    for (int j = 0; j < across.columns; ++j) {
      for (int k = 0; k < across.rows; ++k) {
        half.values[i * half.columns + k] += across.at[k][j] * from.values[i * from.columns + j];
      }
    }
  }
  for (int i = 0; i < down.columns; ++i) {
    for (int j = 0; j < down.rows; ++j) {
      for (int k = 0; k < across.rows; ++k) {
        to.values[j * to.columns + k] += down.at[j][i] * half.values[i * half.columns + k];
      }
    }
  }
  return to;
}

struct Tiles {
  winograd::Size tile;
  int rows, columns;
  Tiles(const Sizes& out, const winograd::Form& form)
      : tile(form.tile),
        rows((out.h + tile.h - 1) / tile.h),
        columns((out.w + tile.w - 1) / tile.w) {}
  int count() const { return rows * columns; }
  int top(int i) const { return i / columns * tile.h; }
  int left(int i) const { return i % columns * tile.w; }
};

// Of every image, tile and channel, in this order: pixels from (top, left) before the tile on.
std::vector<Square> windows(const Plain& values, const Sizes& s, const Tiles& tiles, int top,
                            int left, const Matrices& matrices) {
  const int rows = matrices.down.columns, columns = matrices.across.columns;
  std::vector<Square> all;
  for (int n = 0; n < s.n; ++n) {
    for (int tile = 0; tile < tiles.count(); ++tile) {
      for (int c = 0; c < s.c; ++c) {
        Square window{columns, std::vector<double>(std::size_t(rows) * columns)};
        for (int i = 0; i < rows * columns; ++i) {
          const int row = tiles.top(tile) - top + i / columns;
          const int column = tiles.left(tile) - left + i % columns;
          if (row < 0 || row >= s.h || column < 0 || column >= s.w) continue;
          window.values[i] = std::abs(values[s.at(n, c, row, column)]);
        }
        all.push_back(transform(matrices, window));
      }
    }
  }
  return all;
}

// Of every output and input channel; or turned as backward-data needs them.
std::vector<Square> filters(const Problem& p, const winograd::Form& form, bool turned) {
  const Sizes s = filter_sizes(p.shape);
  const int all_taps = p.shape.taps.area();
  const Matrices matrices = both_sides([](const Side& side) { return filters(side); }, form);
  std::vector<Square> all;
  for (int i = 0; i < (turned ? s.c : s.n); ++i) {
    for (int j = 0; j < (turned ? s.n : s.c); ++j) {
      Square taps{s.w, std::vector<double>(std::size_t(all_taps))};
      for (int tap = 0; tap < all_taps; ++tap) {
        const int from = turned ? all_taps - 1 - tap : tap;
        taps.values[tap] = std::abs(p.filters[turned ? s.at(j, i, 0, from) : s.at(i, j, 0, from)]);
      }
      all.push_back(transform(matrices, taps));
    }
  }
  return all;
}

void add_product(const Square& a, const Square& b, Square& sum) {
  sum.columns = a.columns;
  sum.values.resize(a.values.size());
  for (std::size_t i = 0; i < a.values.size(); ++i) sum.values[i] += a.values[i] * b.values[i];
}

Exact convolution_sizes(const std::vector<Square>& v, const std::vector<Square>& u, int channels,
                        const Sizes& out, const Tiles& tiles, const winograd::Form& form) {
  const Matrices matrices =
      both_sides([](const Side& side) { return transposed(gradients(side)); }, form);
  const auto [tile_h, tile_w] = tiles.tile;
  Exact sizes(out.all());
  for (int i = 0; i < out.n * tiles.count(); ++i) {
    const int tile = i % tiles.count();
    for (int o = 0; o < out.c; ++o) {
      Square sum;
      for (int c = 0; c < channels; ++c) add_product(v[i * channels + c], u[o * channels + c], sum);
      const Square y = transform(matrices, sum);
      for (int at = 0; at < tile_h * tile_w; ++at) {
        const int row = tiles.top(tile) + at / tile_w, column = tiles.left(tile) + at % tile_w;
        if (row >= out.h || column >= out.w) continue;
        sizes[out.at(i / tiles.count(), o, row, column)] = y.values[at];
      }
    }
  }
  return sizes;
}

Exact weights_sizes(const std::vector<Square>& v, const std::vector<Square>& w, const Sizes& s,
                    const winograd::Form& form) {
  const Matrices matrices =
      both_sides([](const Side& side) { return transposed(filters(side)); }, form);
  Exact sizes(s.all());
  for (int o = 0; o < s.n; ++o) {
    for (int c = 0; c < s.c; ++c) {
      Square sum;
      for (std::size_t tile = 0; tile < v.size() / s.c; ++tile) {
        add_product(v[tile * s.c + c], w[tile * s.n + o], sum);
      }
      const Square dg = transform(matrices, sum);
      for (int tap = 0; tap < s.h * s.w; ++tap) sizes[s.at(o, c, 0, tap)] = dg.values[tap];
    }
  }
  return sizes;
}

struct Expected {
  ExactResults results, bounds;
};

double largest(const Plain& values) {
  double most = 0;
  for (const float v : values) most = std::max(most, std::abs(double(v)));
  return most;
}

Expected expect(const Problem& p, const winograd::Form& form) {
  const WinogradShape& s = p.shape;
  const Sizes xs = x_sizes(s), ys = y_sizes(s);
  const Tiles of_y(ys, form), of_x(xs, form);
  const Matrices around_tile = both_sides(inputs, form);
  const auto x = windows(p.x, xs, of_y, s.top, s.left, around_tile);
  const auto dy = windows(p.dy, ys, of_y, 0, 0, both_sides(gradients, form));
  const auto around =
      windows(p.dy, ys, of_x, s.taps.h - 1 - s.top, s.taps.w - 1 - s.left, around_tile);
  Expected e{exact(p),
             {convolution_sizes(x, filters(p, form, false), s.in_channels, ys, of_y, form),
              convolution_sizes(around, filters(p, form, true), s.out_channels, xs, of_x, form),
              weights_sizes(x, dy, filter_sizes(s), form), Exact(std::size_t(s.out_channels))}};
  for (int n = 0; n < s.images; ++n) {
    for (int i = 0; i < s.out_channels * s.out_h * s.out_w; ++i) {
      e.bounds.d_bias[i / (s.out_h * s.out_w)] += std::abs(p.dy[ys.at(n, 0, 0, i)]);
    }
  }
  const double factors = 1 + largest(p.x) + largest(p.dy) + largest(p.filters);
  const auto bound = [&](Exact& sizes, int terms) {
    for (double& size : sizes) {
      size = (terms + loss(form).roundings) * kRounding * size + terms * factors * underflow(form);
    }
  };
  bound(e.bounds.y, s.in_channels);
  bound(e.bounds.dx, s.out_channels);
  bound(e.bounds.d_filters, s.images * of_y.count());
  bound(e.bounds.d_bias, s.images * of_y.count());
  return e;
}

void expect_within(const Plain& actual, const Exact& expected, const Exact& bounds) {
  for (std::size_t i = 0; i < expected.size(); ++i) {
    // Not a number is not within either.
    ASSERT_TRUE(std::abs(double(actual[i]) - expected[i]) <= bounds[i])
        << actual[i] << " for " << expected[i] << " +- " << bounds[i] << " at " << i;
  }
}

double relative_error(const Plain& actual, const Exact& expected) {
  double errors = 0, squares = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    errors += (actual[i] - expected[i]) * (actual[i] - expected[i]);
    squares += expected[i] * expected[i];
  }
  return std::sqrt(errors / squares);
}

// All that there are for such filters: every form by every set of instructions.
std::vector<const winograd::Steps*> steps_for(winograd::Size taps, int lanes) {
  std::vector<const winograd::Steps*> all;
  for (const winograd::Form& form : winograd::kForms) {
    if (form.taps != taps) continue;
    for (const auto* steps : winograd::available_steps(form, lanes)) all.push_back(steps);
  }
  return all;
}

std::string name_of(const winograd::Form& form) {
  const auto [taps, tile, window] = form;
  return fmt::format("F{}x{}_{}x{}", tile.h, tile.w, taps.h, taps.w);
}
std::string name_of(const winograd::Steps& steps) {
  return fmt::format("{}_{}", steps.name, name_of(steps.form));
}

// Runs the problem with teams of these sizes.
void expect_within_bounds(const Problem& p, std::initializer_list<int> teams = {2}) {
  for (const winograd::Steps* steps : steps_for(p.shape.taps, p.shape.block)) {
    if (largest(p.x) > loss(steps->form).range) continue;
    const Expected expected = expect(p, steps->form);
    for (const int threads : teams) {
      SCOPED_TRACE(name_of(*steps) + " by " + std::to_string(threads));
      omp_set_num_threads(threads);
      const Results actual = run(p, steps);
      expect_within(actual.y, expected.results.y, expected.bounds.y);
      expect_within(actual.dx, expected.results.dx, expected.bounds.dx);
      expect_within(actual.d_filters, expected.results.d_filters, expected.bounds.d_filters);
      expect_within(actual.d_bias, expected.results.d_bias, expected.bounds.d_bias);
    }
  }
}

// The bounds hold for the worst of all inputs; roundings of random ones cancel out.
void expect_few_digits_lost(const Problem& p) {
  const ExactResults expected = exact(p);
  for (const winograd::Steps* steps : steps_for(p.shape.taps, p.shape.block)) {
    SCOPED_TRACE(name_of(*steps));
    const Results actual = run(p, steps);
    const double error = loss(steps->form).of_random;
    EXPECT_LE(relative_error(actual.y, expected.y), error);
    EXPECT_LE(relative_error(actual.dx, expected.dx), error);
    EXPECT_LE(relative_error(actual.d_filters, expected.d_filters), error);
    EXPECT_LE(relative_error(actual.d_bias, expected.d_bias), 1e-6);
  }
}

// The same in blocks of 16 channels, with twice the channels.
WinogradShape widened(WinogradShape s) {
  s.block = 16;
  s.in_channels *= 2;
  s.out_channels *= 2;
  return s;
}

WinogradShape same(int images, int in, int out, int h, int w, winograd::Size taps = {3, 3}) {
  return {images, in, out, h, w, h, w, taps.h / 2, taps.w / 2, taps};
}

constexpr winograd::Size kAllTaps[] = {{3, 3}, {5, 5}, {1, 3}, {3, 1}, {1, 7}, {7, 1}};

// How random roundings add up along a side, beside those of a direct sum.
double growth(const Side& side) {
  const Matrix a = gradients(side), b = inputs(side), g = filters(side);
  const auto squares = [](const Matrix& m, int row) {
    double sum = 0;
    for (int i = 0; i < m.columns; ++i) sum += m.at[row][i] * m.at[row][i];
    return sum;
  };
  double sum = 0;
  for (int p = 0; p < side.window; ++p) sum += squares(a, p) * squares(g, p) * squares(b, p);
  return std::sqrt(sum / side.tile / side.taps);
}

TEST(WinogradForm, GrowsNumbersAsDocumented) {
  const std::map<std::string, double> documented = {
      {"F4x4_3x3", 11}, {"F5x5_3x3", 16}, {"F6x6_3x3", 21}, {"F7x7_3x3", 56}, {"F2x2_5x5", 12},
      {"F4x4_5x5", 19}, {"F1x6_1x7", 24}, {"F6x1_7x1", 24}, {"F1x4_1x3", 3},  {"F4x1_3x1", 3},
  };
  for (const winograd::Form& form : winograd::kForms) {
    const double both = growth(down(form)) * growth(across(form));
    EXPECT_EQ(std::round(both), documented.at(name_of(form))) << name_of(form);
  }
}

class WinogradConvolution : public testing::Test {
 protected:
  ~WinogradConvolution() override { omp_set_num_threads(threads_); }
  const int threads_ = omp_get_max_threads();
};

TEST_F(WinogradConvolution, AgreesWithTheDirectOneAtOddSizesAndPaddings) {
  const WinogradShape shapes[] = {
      same(1, 8, 8, 1, 1),
      same(3, 24, 40, 5, 7),
      same(2, 16, 56, 13, 9),
      {2, 16, 8, 6, 11, 4, 9, 0, 0},  // no padding
      {1, 8, 24, 7, 6, 9, 8, 2, 2},   // outputs wherever a tap meets the image
      {1, 8, 8, 5, 5, 6, 4, 3, 0},    // more than that above, none beside
      {1, 16, 16, 3, 5, 3, 4, 0, 1},  // different on every side
      same(1, 8, 8, 1, 1, {5, 5}),
      same(2, 16, 24, 5, 8, {5, 5}),
      {1, 24, 16, 9, 7, 5, 3, 0, 0, {5, 5}},
      {1, 8, 8, 4, 5, 8, 7, 4, 3, {5, 5}},
      same(2, 8, 24, 8, 8, {1, 3}),
      same(2, 24, 8, 8, 8, {3, 1}),
      same(1, 8, 8, 1, 1, {1, 7}),
      same(2, 16, 24, 5, 17, {1, 7}),
      {1, 24, 16, 3, 13, 3, 7, 0, 0, {1, 7}},
      {1, 8, 8, 4, 5, 5, 9, 1, 6, {1, 7}},  // rows of zeros where the filters have but one
      same(1, 8, 8, 1, 1, {7, 1}),
      same(2, 16, 24, 17, 5, {7, 1}),
      {1, 24, 16, 13, 3, 7, 3, 0, 0, {7, 1}},
      {1, 8, 8, 5, 4, 9, 3, 6, 0, {7, 1}},
  };
  for (const WinogradShape& s : shapes) {
    SCOPED_TRACE(testing::Message() << s.images << "x" << s.in_channels << "->" << s.out_channels
                                    << " " << s.in_h << "x" << s.in_w << " to " << s.out_h << "x"
                                    << s.out_w << " by " << s.taps.h << "x" << s.taps.w);
    expect_within_bounds(random_problem(s), {1, 3});
    expect_within_bounds(random_problem(widened(s)), {1, 3});
  }
}

TEST_F(WinogradConvolution, AgreesWithTheDirectOneWhereThreadsDivideChannels) {
  omp_set_num_threads(2);
  expect_few_digits_lost(random_problem(same(1, 208, 216, 5, 5)));
  expect_few_digits_lost(random_problem(widened(same(1, 104, 112, 5, 5))));
  // More tiles than are multiplied at once.
  expect_few_digits_lost(random_problem({197, 104, 176, 3, 3, 1, 1, 0, 0}));
  expect_few_digits_lost(random_problem(widened({197, 56, 88, 3, 3, 1, 1, 0, 0})));
}

TEST_F(WinogradConvolution, LosesFewDigitsOfRandomInputs) {
  const auto expect_digits = [](const WinogradShape& s) {
    expect_few_digits_lost(random_problem(s));
    WinogradShape wide = s;
    wide.block = 16;
    expect_few_digits_lost(random_problem(wide));
  };
  expect_digits(same(3, 64, 64, 13, 13));
  expect_digits(same(2, 64, 64, 9, 9, {5, 5}));
  expect_digits(same(1, 64, 64, 17, 17, {1, 7}));
  expect_digits(same(1, 64, 64, 17, 17, {7, 1}));
}

TEST_F(WinogradConvolution, KeepsItsBoundsOnConstantAndOnExtremeInputs) {
  std::vector<WinogradShape> shapes;
  for (const winograd::Size taps : kAllTaps) {
    shapes.push_back(same(2, 16, 16, 9, 10, taps));
    shapes.push_back(widened(same(2, 8, 8, 9, 10, taps)));
  }
  for (const WinogradShape& s : shapes) {
    const Problem random = random_problem(s);
    const std::size_t xs = random.x.size(), fs = random.filters.size(), ys = random.dy.size();
    const float denormal = 1e-40F;
    const Problem problems[] = {
        {s, Plain(xs, 1), Plain(fs, 1.0F / 3), Plain(ys, -1)},
        {s, large_range(xs, 5), large_range(fs, 6), large_range(ys, 7)},
        {s, noise(xs, 8, denormal), random.filters, noise(ys, 9, denormal)},
        {s, random.x, noise(fs, 10, denormal), random.dy},
        {s, noise(xs, 11, 1e24F), noise(fs, 12, 1e-24F), noise(ys, 13)},
        {s, noise(xs, 11, 1e30F), noise(fs, 12, 1e-30F), noise(ys, 13)},
    };
    for (const Problem& p : problems) {
      SCOPED_TRACE(&p - problems);
      expect_within_bounds(p);
    }
  }
}

TEST_F(WinogradConvolution, WritesLargeOutputsPastTheCachesTheSame) {
  constexpr int kCopies = 64;
  for (const WinogradShape& s : {same(1, 8, 8, 94, 90), widened(same(1, 8, 8, 46, 94))}) {
    const Problem one = random_problem(s);
    Problem many = one;
    many.shape.images = kCopies;
    for (int copy = 1; copy < kCopies; ++copy) {
      many.x.insert(many.x.end(), one.x.begin(), one.x.end());
      many.dy.insert(many.dy.end(), one.dy.begin(), one.dy.end());
    }
    for (const winograd::Steps* steps : steps_for(s.taps, s.block)) {
      const Results expected = run(one, steps);
      const Results actual = run(many, steps);
      for (std::size_t i = 0; i < actual.y.size(); ++i) {
        ASSERT_EQ(actual.y[i], expected.y[i % expected.y.size()]) << i;
        ASSERT_EQ(actual.dx[i], expected.dx[i % expected.dx.size()]) << i;
      }
    }
  }
}

// The rest compares runs by the same instructions.
std::vector<const winograd::Steps*> all_steps() {
  std::vector<const winograd::Steps*> all;
  for (const winograd::Size taps : kAllTaps) {
    for (const int lanes : {8, 16}) {
      for (const auto* steps : steps_for(taps, lanes)) all.push_back(steps);
    }
  }
  return all;
}
class WinogradBy : public testing::TestWithParam<const winograd::Steps*> {
 protected:
  // Channels in blocks of eight, or as many blocks of sixteen.
  static Problem problem(int images, int in, int out, int h, int w) {
    const WinogradShape s = same(images, in, out, h, w, GetParam()->form.taps);
    return random_problem(GetParam()->lanes == 8 ? s : widened(s));
  }
};

TEST_P(WinogradBy, EndsForwardWithBiasAndRelu) {
  const auto* const steps = GetParam();
  const Problem p = problem(2, 8, 24, 6, 7);
  const WinogradShape& s = p.shape;
  const Plain bias = noise(static_cast<std::size_t>(s.out_channels), 4);
  const Plain bare = run(p, steps).y;
  const auto biased = [&](std::size_t i) {
    return bare[i] + bias[i / static_cast<std::size_t>(s.out_h * s.out_w) % bias.size()];
  };
  const Plain with_bias = run(p, steps, {bias, {}, {}, false}).y;
  const Plain with_both = run(p, steps, {bias, {}, {}, true}).y;
  const Plain with_relu = run(p, steps, {{}, {}, {}, true}).y;
  for (std::size_t i = 0; i < bare.size(); ++i) {
    ASSERT_EQ(with_bias[i], biased(i));
    ASSERT_EQ(with_both[i], std::max(biased(i), 0.0F));
    ASSERT_EQ(with_relu[i], std::max(bare[i], 0.0F));
  }
}

TEST_P(WinogradBy, EndsBackwardWithSumAndMask) {
  const auto* const steps = GetParam();
  const Problem p = problem(2, 24, 8, 6, 7);
  const Plain addend = noise(p.x.size(), 4);
  const Plain& mask = p.x;
  const Plain bare = run(p, steps).dx;
  const Plain sum = run(p, steps, {{}, addend, {}, false}).dx;
  const Plain masked = run(p, steps, {{}, {}, mask, false}).dx;
  const Plain both = run(p, steps, {{}, addend, mask, false}).dx;
  for (std::size_t i = 0; i < bare.size(); ++i) {
    ASSERT_EQ(sum[i], bare[i] + addend[i]);
    ASSERT_EQ(masked[i], mask[i] > 0 ? bare[i] : 0);
    ASSERT_EQ(both[i], mask[i] > 0 ? sum[i] : 0);
  }
}

TEST_P(WinogradBy, RepeatsItselfBitForBit) {
  const auto* const steps = GetParam();
  const Problem p = problem(5, 24, 16, 15, 14);
  const Results first = run(p, steps);
  const Results second = run(p, steps);
  EXPECT_EQ(first.y, second.y);
  EXPECT_EQ(first.dx, second.dx);
  EXPECT_EQ(first.d_filters, second.d_filters);
  EXPECT_EQ(first.d_bias, second.d_bias);
}

INSTANTIATE_TEST_SUITE_P(Instructions, WinogradBy, testing::ValuesIn(all_steps()),
                         [](const auto& test) { return name_of(*test.param); });

TEST(WinogradForm, HasMorePointsWhereTheySaveMultiplications) {
  const auto tile = [](int images, int size) {
    return Winograd(same(images, 64, 64, size, size)).form().tile.w;
  };
  EXPECT_EQ(tile(8, 56), 7);
  EXPECT_EQ(tile(8, 17), 6);  // 18 pixels, not 20 or 21
  EXPECT_EQ(tile(8, 15), 5);
  EXPECT_EQ(tile(8, 16), 4);
  EXPECT_EQ(tile(1, 14), 4);  // few tiles for the filters
}

}  // namespace
}  // namespace lockstep::kernel
