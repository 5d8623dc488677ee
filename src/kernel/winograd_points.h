#pragma once

namespace lockstep::kernel::winograd {

// Where polynomials are evaluated: at 0, at pairs of points a and -a, and at infinity or not there;
// and what the matrices of docs/kernels.md are made of. All products below are over pairs, of
// x^2 - a^2, their coefficients by powers of x^2.
template <int pairs, bool infinity>
struct Points {
  static constexpr int kPairs = pairs;
  static constexpr bool kInfinity = infinity;
  static constexpr int kCount = 2 * pairs + 1 + (infinity ? 1 : 0);
  static constexpr int kMostCoefficients = 7;

  float power[pairs][kMostCoefficients];  // of a
  float of_all[pairs + 1];                // the product
  float of_others[pairs][pairs];          // the product without a's own factor
  float share_of_0;                       // of values, in G
  float share[pairs];                     // of values at a and -a, in G
};

template <int pairs>
struct Product {
  double of[pairs + 1] = {1};  // coefficients
};
template <int pairs>
constexpr Product<pairs> product_without(int left_out, const double (&sizes)[pairs]) {
  Product<pairs> product;
  for (int pair = 0; pair < pairs; ++pair) {
    if (pair == left_out) continue;
    for (int i = pairs; i >= 0; --i) {
      product.of[i] = (i > 0 ? product.of[i - 1] : 0) - sizes[pair] * sizes[pair] * product.of[i];
    }
  }
  return product;
}

template <bool infinity = true, int pairs>
constexpr Points<pairs, infinity> points_at(const double (&sizes)[pairs]) {
  Points<pairs, infinity> points{};
  const Product<pairs> all = product_without(-1, sizes);
  for (int i = 0; i <= pairs; ++i) points.of_all[i] = static_cast<float>(all.of[i]);
  points.share_of_0 = static_cast<float>(1 / all.of[0]);
  for (int pair = 0; pair < pairs; ++pair) {
    const Product<pairs> others = product_without(pair, sizes);
    const double square = sizes[pair] * sizes[pair];
    double value = 0;  // of that product at the point
    for (int i = pairs - 1; i >= 0; --i) {
      points.of_others[pair][i] = static_cast<float>(others.of[i]);
      value = value * square + others.of[i];
    }
    points.share[pair] = static_cast<float>(1 / (2 * square * value));
    double power = 1;
    for (float& of_size : points.power[pair]) {
      of_size = static_cast<float>(power);
      power *= sizes[pair];
    }
  }
  return points;
}

// By their number. A pair at 1 stands first, so that the second position of a line is the sum of
// its coefficients.
template <int count>
inline constexpr auto kPoints = nullptr;
template <>
inline constexpr auto kPoints<6> = points_at({1, 2});
template <>
inline constexpr auto kPoints<7> = points_at<false>({1, 2, 1.0 / 2});
template <>
inline constexpr auto kPoints<8> = points_at({1, 2, 1.0 / 2});
template <>
inline constexpr auto kPoints<9> = points_at<false>({1, 1.0 / 2, 3.0 / 2, 4});
template <>
inline constexpr auto kPoints<12> = points_at({1, 3.0 / 8, 3.0 / 4, 3.0 / 2, 3});

}  // namespace lockstep::kernel::winograd
