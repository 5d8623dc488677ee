#include "data/distort_color.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>

#include "base/check.h"
#include "base/simd.h"

namespace lockstep::data {
namespace {

constexpr float kMostBrightness = 32.0F / 255.0F;
constexpr float kLeastFactor = 0.5F, kMostFactor = 1.5F;  // of saturation and of contrast
constexpr float kMostTurnInHsv = 0.2F, kMostTurnInYiq = 0.1F;

// Random numbers of one distortion.
constexpr std::uint64_t kBrightness = 0, kSaturation = 1, kHue = 2, kContrast = 3;

using Matrix = std::array<std::array<float, 3>, 3>;

Matrix operator*(const Matrix& a, const Matrix& b) {
  Matrix product = {};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      for (std::size_t k = 0; k < 3; ++k) product[i][j] += a[i][k] * b[k][j];
    }
  }
  return product;
}

// In YIQ, colours are a plane beside the brightness: hue turns it, saturation stretches it.
Matrix color_matrix(float saturation, float hue) {
  constexpr Matrix kToYiq = {
      {{.299F, .587F, .114F}, {.596F, -.274F, -.322F}, {.211F, -.523F, .312F}}};
  constexpr Matrix kFromYiq = {
      {{1, .95617069F, .62143257F}, {1, -.2726886F, -.64681324F}, {1, -1.103744F, 1.70062309F}}};
  const float angle = 2 * std::numbers::pi_v<float> * hue;
  const float along = saturation * std::cos(angle), across = saturation * std::sin(angle);
  return kFromYiq * Matrix{{{1, 0, 0}, {0, along, -across}, {0, across, along}}} * kToYiq;
}

LOCKSTEP_SIMD_CLONES
void map_colors(Matrix m, float* red, float* green, float* blue, std::size_t pixels) {
  for (std::size_t i = 0; i < pixels; ++i) {
    const float r = red[i], g = green[i], b = blue[i];
    red[i] = m[0][0] * r + m[0][1] * g + m[0][2] * b;
    green[i] = m[1][0] * r + m[1][1] * g + m[1][2] * b;
    blue[i] = m[2][0] * r + m[2][1] * g + m[2][2] * b;
  }
}

// A channel of a colour, by its place on the circle, which is counted in sixths: red's is 5,
// green's 3, blue's 1.
inline float channel(float place, float hue, float value, float chroma) {
  float k = place + hue;
  k -= k >= 6 ? 6.0F : 0.0F;
  return value - chroma * std::clamp(std::min(k, 4 - k), 0.0F, 1.0F);
}

LOCKSTEP_SIMD_CLONES
void change_in_hsv(float saturation, float turn, float* red, float* green, float* blue,
                   std::size_t pixels) {
  for (std::size_t i = 0; i < pixels; ++i) {
    const float r = red[i], g = green[i], b = blue[i];
    const float value = std::max(r, std::max(g, b));
    const float range = value - std::min(r, std::min(g, b));
    const float per_range = range > 0 ? 1 / range : 0.0F;
    float hue = value == r   ? (g - b) * per_range
                : value == g ? 2 + (b - r) * per_range
                             : 4 + (r - g) * per_range;
    hue += turn;  // from -2.2 to 6.2
    hue += hue < 0 ? 6.0F : 0.0F;
    hue -= hue >= 6 ? 6.0F : 0.0F;
    // What is darker than black has no colour.
    const float chroma = value > 0 ? std::min(value, saturation * range) : 0.0F;
    red[i] = channel(5, hue, value, chroma);
    green[i] = channel(3, hue, value, chroma);
    blue[i] = channel(1, hue, value, chroma);
  }
}

LOCKSTEP_SIMD_CLONES
void scale_and_add(float factor, float summand, float* values, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) values[i] = values[i] * factor + summand;
}

float mean(std::span<const float> values) {
  double sum = 0;
  for (const float value : values) sum += value;
  return static_cast<float>(sum / static_cast<double>(values.size()));
}

void change_contrast(float contrast, std::span<float> values) {
  scale_and_add(contrast, mean(values) * (1 - contrast), values.data(), values.size());
}

}  // namespace

ColorDistortion sample_distortion(const Rng& rng, std::uint64_t position, bool in_yiq) {
  const auto between = [&](std::uint64_t draw, float least, float most) {
    return least + rng.uniform(draw) * (most - least);
  };
  const float most_turn = in_yiq ? kMostTurnInYiq : kMostTurnInHsv;
  return {.brightness = between(kBrightness, -kMostBrightness, kMostBrightness),
          .saturation = between(kSaturation, kLeastFactor, kMostFactor),
          .hue = between(kHue, -most_turn, most_turn),
          .contrast = between(kContrast, kLeastFactor, kMostFactor),
          .in_yiq = in_yiq,
          .contrast_first = position % 2 == 1};
}

void distort_color(const ColorDistortion& distortion, std::span<float> red, std::span<float> green,
                   std::span<float> blue) {
  LOCKSTEP_CHECK(red.size() == green.size() && green.size() == blue.size());
  LOCKSTEP_CHECK(std::abs(distortion.hue) <= kMostTurnInHsv);
  const std::array planes = {red, green, blue};
  const auto change_contrasts = [&] {
    for (const std::span<float> plane : planes) change_contrast(distortion.contrast, plane);
  };
  for (const std::span<float> plane : planes) {
    scale_and_add(1, distortion.brightness, plane.data(), plane.size());
  }
  if (distortion.contrast_first) change_contrasts();
  if (distortion.in_yiq) {
    map_colors(color_matrix(distortion.saturation, distortion.hue), red.data(), green.data(),
               blue.data(), red.size());
  } else {
    change_in_hsv(distortion.saturation, 6 * distortion.hue, red.data(), green.data(), blue.data(),
                  red.size());
  }
  if (!distortion.contrast_first) change_contrasts();
  for (const std::span<float> plane : planes) {
    for (float& value : plane) value = std::clamp(value, 0.0F, 1.0F);
  }
}

}  // namespace lockstep::data
