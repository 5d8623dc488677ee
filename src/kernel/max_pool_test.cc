#include "kernel/max_pool.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/rng.h"

namespace lockstep::kernel {
namespace {

constexpr Windows kWindows{.in_h = 7,
                           .in_w = 6,
                           .out_h = 4,
                           .out_w = 3,
                           .kernel_h = 3,
                           .kernel_w = 2,
                           .stride_h = 2,
                           .stride_w = 2,
                           .top = 1,
                           .left = 0};
constexpr int kIn = kWindows.in_h * kWindows.in_w;
constexpr int kOut = kWindows.out_h * kWindows.out_w;
constexpr int kImages = 3, kChannels = 11;

// Pixels and gradients are small integers: maxima tie often, and sums are exact. Padding is zero.
std::vector<float> integers(const Layout& layout, std::uint64_t seed) {
  const Rng rng(seed);
  std::vector<float> values(static_cast<std::size_t>(layout.size()));
  std::uint64_t i = 0;
  for (int n = 0; n < layout.images; ++n) {
    for (int c = 0; c < layout.channels; ++c) {
      for (int p = 0; p < layout.pixels; ++p) {
        values[static_cast<std::size_t>(layout.at(n, c, p))] = std::round(8 * rng.uniform(i++) - 5);
      }
    }
  }
  return values;
}

class MaxPool : public testing::TestWithParam<int> {
 protected:
  const Layout in_{kImages, kChannels, kIn, GetParam()};
  const Layout out_{kImages, kChannels, kOut, GetParam()};
};

TEST_P(MaxPool, FindsTheLargestOfEachWindowAndGivesItsGradientToTheFirstOfEquals) {
  const std::vector<float> x = integers(in_, 1);
  const std::vector<float> dy = integers(out_, 2);
  std::vector<float> expected(static_cast<std::size_t>(out_.size()));
  std::vector<float> expected_gradient(x.size());
  for (int n = 0; n < kImages; ++n) {
    for (int c = 0; c < kChannels; ++c) {
      for (int p = 0; p < kOut; ++p) {
        std::size_t best = x.size();
        for (int k = 0; k < kWindows.kernel_h * kWindows.kernel_w; ++k) {
          const int row =
              p / kWindows.out_w * kWindows.stride_h - kWindows.top + k / kWindows.kernel_w;
          const int column = p % kWindows.out_w * kWindows.stride_w + k % kWindows.kernel_w;
          if (row < 0 || row >= kWindows.in_h || column >= kWindows.in_w) continue;
          const auto at = static_cast<std::size_t>(in_.at(n, c, row * kWindows.in_w + column));
          if (best == x.size() || x[at] > x[best]) best = at;
        }
        const auto to = static_cast<std::size_t>(out_.at(n, c, p));
        expected[to] = x[best];
        expected_gradient[best] += dy[to];
      }
    }
  }
  std::vector<float> y(expected.size(), NAN);
  std::vector<std::uint8_t> winners(y.size());
  max_pool(kWindows, in_, x.data(), y.data(), winners.data());
  EXPECT_EQ(y, expected);
  std::vector<float> dx(x.size(), NAN);
  max_pool_gradient(kWindows, in_, dy.data(), winners.data(), dx.data());
  EXPECT_EQ(dx, expected_gradient);
}

INSTANTIATE_TEST_SUITE_P(Blocks, MaxPool, testing::Values(1, 8, 16, kChannels));

}  // namespace
}  // namespace lockstep::kernel
