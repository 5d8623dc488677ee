#include "data/synthetic.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "base/rng.h"

namespace lockstep::data {
namespace {

constexpr int kLevelBits = 12;
constexpr std::size_t kLevels = std::size_t{1} << kLevelBits;
constexpr int kValuesPerDraw = 4;  // 16 of 64 random bits each

constexpr std::uint64_t kImageStream = 0, kLabelStream = 1;

// The distribution as equally likely levels: a pixel is one look into a table of 16 KiB. (Images
// from files have 256 levels.)
std::array<float, kLevels> make_levels() {
  constexpr double kMean = 127, kDeviation = 60, kCut = 2;
  const auto below = [](double x) { return std::erfc(-x / std::numbers::sqrt2) / 2; };
  const auto density = [](double x) {
    return std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi);
  };
  const double from = below(-kCut), to = below(kCut);
  std::array<float, kLevels> levels{};
  double x = -kCut;
  for (std::size_t i = 0; i < kLevels; ++i) {
    const double quantile = from + (to - from) * (static_cast<double>(i) + 0.5) / kLevels;
    // Newton's method, from the level before: so near that three steps are exact.
    for (int step = 0; step < 3; ++step) x -= (below(x) - quantile) / density(x);
    levels[i] = static_cast<float>((kMean + kDeviation * x) / 127.5 - 1);
  }
  return levels;
}

}  // namespace

void fill_images(const Images& images, std::uint64_t seed, std::uint64_t first_sample) {
  static const std::array<float, kLevels> levels = make_levels();
  const Rng rng = Rng(seed).stream(kImageStream);
  const auto draws_per_row =
      static_cast<std::uint64_t>((images.w + kValuesPerDraw - 1) / kValuesPerDraw);
  for (int n = 0; n < images.n; ++n) {
    const Rng image = rng.stream(first_sample + static_cast<std::uint64_t>(n));
    std::uint64_t draw = 0;
    for (int c = 0; c < images.c; ++c) {
      for (int y = 0; y < images.h; ++y) {
        float* row = images.first + n * images.stride_n + c * images.stride_c + y * images.stride_h;
        for (std::uint64_t d = 0; d < draws_per_row; ++d) {
          std::uint64_t bits = image.bits(draw++);
          const int start = static_cast<int>(d) * kValuesPerDraw;
          const int end = std::min(images.w, start + kValuesPerDraw);
          for (int x = start; x < end; ++x, bits >>= 16) {
            row[x * images.stride_w] = levels[bits % kLevels];
          }
        }
      }
    }
  }
}

void fill_labels(std::span<int> labels, int classes, std::uint64_t seed,
                 std::uint64_t first_sample) {
  const Rng rng = Rng(seed).stream(kLabelStream);
  const auto kinds = static_cast<std::uint64_t>(std::max(1, classes - 1));
  for (std::size_t i = 0; i < labels.size(); ++i) {
    labels[i] = static_cast<int>(rng.bits(first_sample + i) % kinds);
  }
}

}  // namespace lockstep::data
