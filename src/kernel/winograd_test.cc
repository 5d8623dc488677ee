// Every pass against a plain convolution in double precision, by every set of instructions that the
// processor has. The bounds of rounding are those that docs/kernels.md states.
#include "kernel/winograd.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <omp.h>

#include <array>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <string>
#include <vector>

#include "base/buffer.h"
#include "base/rng.h"

namespace lockstep::kernel {
namespace {

using Plain = std::vector<float>;  // images, channels, rows, columns, in this order
using Exact = std::vector<double>;

constexpr int kBlock = winograd::kLanes;
constexpr double kRounding = 0x1p-24;
constexpr double kSmallest = 0x1p-149;
// On the way of any number through both transforms, the product and the transform of the sum.
constexpr int kRoundingsOfTransforms = 24;

// Of the largest result, a product of a tap and a pixel too small for a float can lose this much:
// products, and taps that become up to 3 units smaller, meet factors up to 10 x 10 on the way in
// and 19 x 19 on the way out.
constexpr double kUnderflow = 3 * 100 * 361 * kSmallest;

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
  return {s.out_channels, s.in_channels, s.taps, s.taps};
}

// Calls f(plain position, position in memory) for each element; nChw8c.
template <typename F>
void for_each_blocked(const Sizes& s, const F& f) {
  for (int n = 0; n < s.n; ++n) {
    for (int c = 0; c < s.c; ++c) {
      for (int i = 0; i < s.h * s.w; ++i) {
        const std::size_t plane = std::size_t(n) * (s.c / kBlock) + c / kBlock;
        f(s.at(n, c, 0, i), (plane * s.h * s.w + i) * kBlock + c % kBlock);
      }
    }
  }
}
// The same for filters; OIhw8i8o.
template <typename F>
void for_each_filter(const Sizes& s, const F& f) {
  for (int o = 0; o < s.n; ++o) {
    for (int i = 0; i < s.c; ++i) {
      for (int tap = 0; tap < s.h * s.w; ++tap) {
        const std::size_t block = std::size_t(o / kBlock) * (s.c / kBlock) + i / kBlock;
        f(s.at(o, i, 0, tap),
          ((block * s.h * s.w + tap) * kBlock + i % kBlock) * kBlock + o % kBlock);
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
Buffer blocked(const Plain& plain, const Sizes& sizes) {
  Buffer buffer(plain.size() * sizeof(float));
  for_each_blocked(sizes,
                   [&](std::size_t from, std::size_t to) { buffer.floats()[to] = plain[from]; });
  return buffer;
}
Plain plain(const Buffer& buffer, const Sizes& sizes) {
  Plain values(sizes.all());
  for_each_blocked(sizes,
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
  const Buffer x = blocked(p.x, x_sizes(s));
  const Buffer dy = blocked(p.dy, y_sizes(s));
  const Sizes of_filters = filter_sizes(s);
  const Buffer filters(p.filters.size() * sizeof(float));
  for_each_filter(of_filters, [&](std::size_t from, std::size_t to) {
    filters.floats()[to] = p.filters[from];
  });
  const auto optional = [&](const Plain& values, const Sizes& sizes) {
    return values.empty() ? Buffer() : blocked(values, sizes);
  };
  const Buffer bias = optional(extras.bias, {1, s.out_channels, 1, 1});
  const Buffer addend = optional(extras.addend, x_sizes(s));
  const Buffer mask = optional(extras.mask, x_sizes(s));

  Results results;
  const Buffer y = unknown(dy.size());
  Buffer scratch = unknown(conv.forward_scratch_bytes());
  conv.forward(data(x), data(filters), data(bias), extras.relu, data(y), data(scratch));
  results.y = plain(y, y_sizes(s));

  const Buffer dx = unknown(x.size());
  scratch = unknown(conv.backward_data_scratch_bytes());
  conv.backward_data(data(dy), data(filters), data(addend), data(mask), data(dx), data(scratch));
  results.dx = plain(dx, x_sizes(s));

  const Buffer d_filters = unknown(filters.size());
  const Buffer d_bias = unknown(static_cast<std::size_t>(s.out_channels) * sizeof(float));
  scratch = unknown(conv.backward_weights_scratch_bytes());
  conv.backward_weights(data(x), data(dy), data(d_filters), data(d_bias), data(scratch));
  results.d_filters.resize(p.filters.size());
  for_each_filter(of_filters, [&](std::size_t to, std::size_t from) {
    results.d_filters[to] = d_filters.floats()[from];
  });
  results.d_bias = plain(d_bias, {1, s.out_channels, 1, 1});
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
          for (int tap = 0; tap < s.taps * s.taps; ++tap) {
            const int in_row = row + tap / s.taps - s.top;
            const int in_column = column + tap % s.taps - s.left;
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
struct Matrix {
  int rows, columns;
  double at[6][6];
};
const Matrix kInputs{6,  // B^T
                     6,
                     {{4, 0, 5, 0, 1, 0},
                      {0, 4, 4, 1, 1, 0},
                      {0, 4, 4, 1, 1, 0},
                      {0, 2, 1, 2, 1, 0},
                      {0, 2, 1, 2, 1, 0},
                      {0, 4, 0, 5, 0, 1}}};
constexpr double kPoints[] = {0, 1, 1, 2, 2, HUGE_VAL};
constexpr double kOnes[] = {1, 1, 1, 1, 1, 1};
constexpr double kShares[] = {1 / 4.0, 1 / 6.0, 1 / 6.0, 1 / 24.0, 1 / 24.0, 1};

// Evaluates a polynomial at all points; at infinity only its last coefficient counts.
Matrix evaluation(int coefficients, const double* factors) {
  Matrix matrix{6, coefficients, {}};
  for (int p = 0; p < 6; ++p) {
    for (int i = 0; i < coefficients; ++i) {
      const double power = p == 5 ? i + 1 == coefficients : std::pow(kPoints[p], i);
      matrix.at[p][i] = factors[p] * power;
    }
  }
  return matrix;
}
Matrix transposed(const Matrix& m) {
  Matrix matrix{m.columns, m.rows, {}};
  for (int i = 0; i < m.rows; ++i) {
    for (int j = 0; j < m.columns; ++j) matrix.at[j][i] = m.at[i][j];
  }
  return matrix;
}
Matrix gradients(int tile) {  // A
  return evaluation(tile, kOnes);
}
Matrix filters(int taps) {  // G
  return evaluation(taps, kShares);
}

using Square = std::array<double, 36>;  // rows of six

Square transform(const Matrix& m, const Square& from) {
  Square half{}, to{};
  for (int i = 0; i < m.rows; ++i) {
    for (int j = 0; j < m.columns; ++j) {
      for (int k = 0; k < m.columns; ++k) half[i * 6 + k] += m.at[i][j] * from[j * 6 + k];
    }
  }
  for (int i = 0; i < m.rows; ++i) {
    for (int j = 0; j < m.columns; ++j) {
      for (int k = 0; k < m.rows; ++k) to[k * 6 + i] += m.at[i][j] * half[k * 6 + j];
    }
  }
  return to;
}

struct Tiles {
  int side, rows, columns;
  Tiles(const Sizes& out, int taps)
      : side(winograd::tile_of(taps)),
        rows((out.h + side - 1) / side),
        columns((out.w + side - 1) / side) {}
  int count() const { return rows * columns; }
  int top(int tile) const { return tile / columns * side; }
  int left(int tile) const { return tile % columns * side; }
};

// Of every image, tile and channel, in this order: pixels from (top, left) before the tile on.
std::vector<Square> windows(const Plain& values, const Sizes& s, const Tiles& tiles, int top,
                            int left, const Matrix& matrix) {
  std::vector<Square> all;
  for (int n = 0; n < s.n; ++n) {
    for (int tile = 0; tile < tiles.count(); ++tile) {
      for (int c = 0; c < s.c; ++c) {
        Square window{};
        for (int i = 0; i < matrix.columns; ++i) {
          for (int j = 0; j < matrix.columns; ++j) {
            const int row = tiles.top(tile) - top + i, column = tiles.left(tile) - left + j;
            if (row < 0 || row >= s.h || column < 0 || column >= s.w) continue;
            window[i * 6 + j] = std::abs(values[s.at(n, c, row, column)]);
          }
        }
        all.push_back(transform(matrix, window));
      }
    }
  }
  return all;
}

// Of every output and input channel; or turned as backward-data needs them.
std::vector<Square> filters(const Problem& p, bool turned) {
  const Sizes s = filter_sizes(p.shape);
  const Matrix matrix = filters(s.h);
  std::vector<Square> all;
  for (int i = 0; i < (turned ? s.c : s.n); ++i) {
    for (int j = 0; j < (turned ? s.n : s.c); ++j) {
      Square taps{};
      for (int tap = 0; tap < s.h * s.w; ++tap) {
        const int from = turned ? s.h * s.w - 1 - tap : tap;
        taps[tap / s.w * 6 + tap % s.w] =
            std::abs(p.filters[turned ? s.at(j, i, 0, from) : s.at(i, j, 0, from)]);
      }
      all.push_back(transform(matrix, taps));
    }
  }
  return all;
}

void add_product(const Square& a, const Square& b, Square& sum) {
  for (int i = 0; i < 36; ++i) sum[i] += a[i] * b[i];
}

Exact convolution_sizes(const std::vector<Square>& v, const std::vector<Square>& u, int channels,
                        const Sizes& out, const Tiles& tiles) {
  const Matrix matrix = transposed(gradients(tiles.side));
  Exact sizes(out.all());
  for (int i = 0; i < out.n * tiles.count(); ++i) {
    const int tile = i % tiles.count();
    for (int o = 0; o < out.c; ++o) {
      Square sum{};
      for (int c = 0; c < channels; ++c) add_product(v[i * channels + c], u[o * channels + c], sum);
      const Square y = transform(matrix, sum);
      for (int row = tiles.top(tile); row < std::min(out.h, tiles.top(tile) + tiles.side); ++row) {
        for (int column = tiles.left(tile); column < std::min(out.w, tiles.left(tile) + tiles.side);
             ++column) {
          sizes[out.at(i / tiles.count(), o, row, column)] =
              y[row % tiles.side * 6 + column % tiles.side];
        }
      }
    }
  }
  return sizes;
}

Exact weights_sizes(const std::vector<Square>& v, const std::vector<Square>& w, const Sizes& s) {
  const Matrix matrix = transposed(filters(s.h));
  Exact sizes(s.all());
  for (int o = 0; o < s.n; ++o) {
    for (int c = 0; c < s.c; ++c) {
      Square sum{};
      for (std::size_t tile = 0; tile < v.size() / s.c; ++tile) {
        add_product(v[tile * s.c + c], w[tile * s.n + o], sum);
      }
      const Square dg = transform(matrix, sum);
      for (int tap = 0; tap < s.h * s.w; ++tap) {
        sizes[s.at(o, c, 0, tap)] = dg[tap / s.w * 6 + tap % s.w];
      }
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

Expected expect(const Problem& p) {
  const WinogradShape& s = p.shape;
  const Sizes xs = x_sizes(s), ys = y_sizes(s);
  const Tiles of_y(ys, s.taps), of_x(xs, s.taps);
  const int reach = s.taps - 1;
  const auto x = windows(p.x, xs, of_y, s.top, s.left, kInputs);
  const auto dy = windows(p.dy, ys, of_y, 0, 0, gradients(of_y.side));
  const auto around = windows(p.dy, ys, of_x, reach - s.top, reach - s.left, kInputs);
  Expected e{exact(p),
             {convolution_sizes(x, filters(p, false), s.in_channels, ys, of_y),
              convolution_sizes(around, filters(p, true), s.out_channels, xs, of_x),
              weights_sizes(x, dy, filter_sizes(s)), Exact(std::size_t(s.out_channels))}};
  for (int n = 0; n < s.images; ++n) {
    for (int i = 0; i < s.out_channels * s.out_h * s.out_w; ++i) {
      e.bounds.d_bias[i / (s.out_h * s.out_w)] += std::abs(p.dy[ys.at(n, 0, 0, i)]);
    }
  }
  const double factors = 1 + largest(p.x) + largest(p.dy) + largest(p.filters);
  const auto bound = [&](Exact& sizes, int terms) {
    for (double& size : sizes) {
      size = (terms + kRoundingsOfTransforms) * kRounding * size + terms * factors * kUnderflow;
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

// Runs the problem by all instructions that there are, with teams of these sizes.
void expect_within_bounds(const Problem& p, std::initializer_list<int> teams = {2}) {
  const Expected expected = expect(p);
  for (const winograd::Steps* steps : winograd::available_steps(p.shape.taps)) {
    for (const int threads : teams) {
      SCOPED_TRACE(std::string(steps->name) + " by " + std::to_string(threads));
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
void expect_five_digits(const Problem& p) {
  const ExactResults expected = exact(p);
  for (const winograd::Steps* steps : winograd::available_steps(p.shape.taps)) {
    SCOPED_TRACE(steps->name);
    const Results actual = run(p, steps);
    EXPECT_LE(relative_error(actual.y, expected.y), 4e-6);
    EXPECT_LE(relative_error(actual.dx, expected.dx), 4e-6);
    EXPECT_LE(relative_error(actual.d_filters, expected.d_filters), 4e-6);
    EXPECT_LE(relative_error(actual.d_bias, expected.d_bias), 1e-6);
  }
}

WinogradShape same(int images, int in, int out, int h, int w, int taps = 3) {
  return {images, in, out, h, w, h, w, taps / 2, taps / 2, taps};
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
      same(1, 8, 8, 1, 1, 5),
      same(2, 16, 24, 5, 8, 5),
      {1, 24, 16, 9, 7, 5, 3, 0, 0, 5},
      {1, 8, 8, 4, 5, 8, 7, 4, 3, 5},
  };
  for (const WinogradShape& s : shapes) {
    SCOPED_TRACE(testing::Message()
                 << s.images << "x" << s.in_channels << "->" << s.out_channels << " " << s.in_h
                 << "x" << s.in_w << " to " << s.out_h << "x" << s.out_w << " by " << s.taps);
    expect_within_bounds(random_problem(s), {1, 3});
  }
}

TEST_F(WinogradConvolution, AgreesWithTheDirectOneWhereThreadsDivideChannels) {
  omp_set_num_threads(2);
  expect_five_digits(random_problem(same(1, 208, 216, 5, 5)));
  // More tiles than are multiplied at once.
  expect_five_digits(random_problem({197, 104, 176, 3, 3, 1, 1, 0, 0}));
}

TEST_F(WinogradConvolution, RoundsRandomInputsToFiveDigits) {
  expect_five_digits(random_problem(same(3, 64, 64, 13, 13)));
  expect_five_digits(random_problem(same(2, 64, 64, 9, 9, 5)));
}

TEST_F(WinogradConvolution, KeepsItsBoundsOnConstantAndOnExtremeInputs) {
  for (const int taps : {3, 5}) {
    const WinogradShape s = same(2, 16, 16, 9, 10, taps);
    const Problem random = random_problem(s);
    const std::size_t xs = random.x.size(), fs = random.filters.size(), ys = random.dy.size();
    const float denormal = 1e-40F;
    const Problem problems[] = {
        {s, Plain(xs, 1), Plain(fs, 1.0F / 3), Plain(ys, -1)},
        {s, large_range(xs, 5), large_range(fs, 6), large_range(ys, 7)},
        {s, noise(xs, 8, denormal), random.filters, noise(ys, 9, denormal)},
        {s, random.x, noise(fs, 10, denormal), random.dy},
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
  Problem one = random_problem(same(1, 8, 8, 94, 90));
  Problem many = one;
  many.shape.images = kCopies;
  for (int copy = 1; copy < kCopies; ++copy) {
    many.x.insert(many.x.end(), one.x.begin(), one.x.end());
    many.dy.insert(many.dy.end(), one.dy.begin(), one.dy.end());
  }
  for (const winograd::Steps* steps : winograd::available_steps(one.shape.taps)) {
    const Results expected = run(one, steps);
    const Results actual = run(many, steps);
    for (std::size_t i = 0; i < actual.y.size(); ++i) {
      ASSERT_EQ(actual.y[i], expected.y[i % expected.y.size()]) << i;
      ASSERT_EQ(actual.dx[i], expected.dx[i % expected.dx.size()]) << i;
    }
  }
}

// The rest compares runs by the same instructions.
struct Way {
  const winograd::Steps* steps;
  int taps;
};
std::vector<Way> ways() {
  std::vector<Way> all;
  for (const int taps : {3, 5}) {
    for (const auto* steps : winograd::available_steps(taps)) all.push_back({steps, taps});
  }
  return all;
}
class WinogradBy : public testing::TestWithParam<Way> {};

TEST_P(WinogradBy, EndsForwardWithBiasAndRelu) {
  const auto [steps, taps] = GetParam();
  const WinogradShape s = same(2, 8, 24, 6, 7, taps);
  const Problem p = random_problem(s);
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
  const auto [steps, taps] = GetParam();
  const WinogradShape s = same(2, 24, 8, 6, 7, taps);
  const Problem p = random_problem(s);
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
  const auto [steps, taps] = GetParam();
  const Problem p = random_problem(same(5, 24, 16, 15, 14, taps));
  const Results first = run(p, steps);
  const Results second = run(p, steps);
  EXPECT_EQ(first.y, second.y);
  EXPECT_EQ(first.dx, second.dx);
  EXPECT_EQ(first.d_filters, second.d_filters);
  EXPECT_EQ(first.d_bias, second.d_bias);
}

INSTANTIATE_TEST_SUITE_P(Instructions, WinogradBy, testing::ValuesIn(ways()), [](const auto& test) {
  return std::string(test.param.steps->name) + "_" + std::to_string(test.param.taps);
});

}  // namespace
}  // namespace lockstep::kernel
