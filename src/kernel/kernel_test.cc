#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "base/rng.h"
#include "kernel/channels.h"
#include "kernel/dropout.h"
#include "kernel/lrn.h"
#include "kernel/pointwise.h"
#include "kernel/softmax.h"

namespace lockstep::kernel {
namespace {

std::vector<float> noise(std::int64_t n, std::uint64_t seed) {
  std::vector<float> out(static_cast<std::size_t>(n));
  const Rng rng(seed);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = 4 * rng.uniform(i) - 2;
  return out;
}

constexpr std::int64_t kOdd = 40'001;  // more than a piece and a thread's share, no multiple of 8

TEST(GatedSum, AddsEveryPartAndClosesTheGate) {
  const std::vector<float> y = noise(kOdd, 1);
  const std::array<std::vector<float>, 4> parts = {noise(kOdd, 2), noise(kOdd, 3), noise(kOdd, 4),
                                                   noise(kOdd, 5)};
  for (std::size_t count = 1; count <= parts.size(); ++count) {
    std::vector<const float*> pointers;
    for (std::size_t p = 0; p < count; ++p) pointers.push_back(parts[p].data());
    std::vector<float> out(kOdd);
    gated_sum({Gate::Kind::relu, 0}, y.data(), pointers, out.data(), kOdd);
    for (std::size_t i = 0; i < out.size(); ++i) {
      float sum = parts[0][i];
      for (std::size_t p = 1; p < count; ++p) sum += parts[p][i];
      ASSERT_EQ(out[i], y[i] > 0 ? sum : 0) << count << " parts, element " << i;
    }
  }
}

TEST(GatedSum, MayWriteOverAnyOfItsParts) {
  for (std::size_t over = 0; over < 3; ++over) {
    std::array<std::vector<float>, 3> parts = {noise(kOdd, 2), noise(kOdd, 3), noise(kOdd, 4)};
    std::vector<float> expected(kOdd);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      expected[i] = parts[0][i] + parts[1][i] + parts[2][i];
    }
    const std::array<const float*, 3> pointers = {parts[0].data(), parts[1].data(),
                                                  parts[2].data()};
    gated_sum({}, nullptr, pointers, parts[over].data(), kOdd);
    EXPECT_EQ(parts[over], expected);
  }
}

TEST(Gates, AreTheirOwnDerivativeFromTheirOutput) {
  const std::vector<float> x = {-2, -0.5F, 0, 0.5F, 5, 7};
  const std::vector<float> ones(x.size(), 1);
  const auto run = [&](Gate gate) {
    std::vector<float> y(x.size());
    activate(gate, x.data(), y.data(), static_cast<std::int64_t>(x.size()));
    std::vector<float> slope(x.size());
    const std::array<const float*, 1> parts = {ones.data()};
    gated_sum(gate, y.data(), parts, slope.data(), static_cast<std::int64_t>(x.size()));
    y.insert(y.end(), slope.begin(), slope.end());
    return y;
  };
  EXPECT_EQ(run({Gate::Kind::relu, 0}),
            (std::vector<float>{0, 0, 0, 0.5F, 5, 7, 0, 0, 0, 1, 1, 1}));
  EXPECT_EQ(run({Gate::Kind::relu6, 0}),
            (std::vector<float>{0, 0, 0, 0.5F, 5, 6, 0, 0, 0, 1, 1, 0}));
  EXPECT_EQ(run({Gate::Kind::leaky, 0.5F}),
            (std::vector<float>{-1, -0.25F, 0, 0.5F, 5, 7, 0.5F, 0.5F, 0.5F, 1, 1, 1}));
}

TEST(Add, AppliesItsGateAndMayWriteOverAnOperand) {
  std::vector<float> a = noise(kOdd, 1);
  const std::vector<float> b = noise(kOdd, 2);
  std::vector<float> expected(kOdd);
  for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = std::max(a[i] + b[i], 0.0F);
  add({Gate::Kind::relu, 0}, a.data(), b.data(), a.data(), kOdd);
  EXPECT_EQ(a, expected);
}

TEST(CopyChannels, JoinsAndSplitsInEveryLayout) {
  constexpr int kImages = 3;
  constexpr int kPixels = 5;
  for (const int block : {1, 8, 0}) {  // 0: channels last
    const auto layout = [&](int channels) {
      return Layout{kImages, channels, kPixels, block == 0 ? channels : block};
    };
    const Layout whole = layout(24);
    const Layout part = layout(16);
    const std::vector<float> x = noise(part.size(), 9);
    std::vector<float> joined(static_cast<std::size_t>(whole.size()), 7);
    copy_channels(x.data(), part, 0, joined.data(), whole, 8, 16);
    std::vector<float> back(x.size());
    copy_channels(joined.data(), whole, 8, back.data(), part, 0, 16);
    EXPECT_EQ(back, x);
    for (int n = 0; n < kImages; ++n) {
      for (int p = 0; p < kPixels; ++p) {
        EXPECT_EQ(joined[static_cast<std::size_t>(whole.at(n, 7, p))], 7);
        EXPECT_EQ(joined[static_cast<std::size_t>(whole.at(n, 8, p))],
                  x[static_cast<std::size_t>(part.at(n, 0, p))]);
      }
    }
  }
}

TEST(Rows, ScatterUndoesGatherAndKeepsPaddingZero) {
  const Layout layout{1, 11, 6, 8};  // eleven features of six samples in blocks of eight
  const std::vector<float> plain = noise(11 * 6, 3);
  std::vector<float> stored(static_cast<std::size_t>(layout.size()), 9);
  scatter_rows(plain.data(), layout, true, stored.data());
  std::vector<float> back(plain.size());
  gather_rows(stored.data(), layout, true, back.data());
  EXPECT_EQ(back, plain);
  EXPECT_EQ(stored[static_cast<std::size_t>(layout.at(0, 10, 5)) + 1], 0);
}

TEST(Lrn, FollowsItsFormulaInEveryLayout) {
  const LrnShape shape{2, 0.3F, 0.75F, 1.5F};
  constexpr int kChannels = 16;
  for (const int block : {1, 8, kChannels}) {
    const Layout layout{2, kChannels, 9, block};
    const std::vector<float> x = noise(layout.size(), 4);
    std::vector<float> y(x.size());
    lrn(shape, x.data(), y.data(), layout);
    for (int n = 0; n < layout.images; ++n) {
      for (int c = 0; c < kChannels; ++c) {
        for (int p = 0; p < layout.pixels; ++p) {
          double sum = 0;
          for (int j = std::max(0, c - 2); j <= std::min(kChannels - 1, c + 2); ++j) {
            sum += std::pow(double(x[static_cast<std::size_t>(layout.at(n, j, p))]), 2);
          }
          const auto i = static_cast<std::size_t>(layout.at(n, c, p));
          EXPECT_NEAR(y[i], x[i] * std::pow(1.5 + 0.3 * sum, -0.75), 1e-5);
        }
      }
    }
  }
}

TEST(SoftmaxCrossEntropy, OfEqualLogitsIsTheLogarithmOfTheClasses) {
  const std::vector<float> logits(3 * 10, 0.25F);
  const std::vector<int> labels = {0, 4, 9};
  std::vector<float> gradient(logits.size());
  EXPECT_NEAR(softmax_cross_entropy(logits, labels, 0, 1, gradient), std::log(10.0), 1e-6);
  EXPECT_NEAR(gradient[0], (0.1 - 1) / 3, 1e-6);
  EXPECT_NEAR(gradient[1], 0.1 / 3, 1e-6);
}

TEST(SoftmaxCrossEntropy, SurvivesHugeLogits) {
  const std::vector<float> logits = {1e4F, -1e4F};
  const std::vector<int> labels = {1};
  std::vector<float> gradient(2);
  EXPECT_NEAR(softmax_cross_entropy(logits, labels, 0, 1, gradient), 2e4, 1e-2);
  EXPECT_NEAR(gradient[0], 1, 1e-6);
}

TEST(Dropout, ScalesWhatItKeepsWhateverTheLayout) {
  const Layout rows{6, 10, 1, 1};
  const Layout columns{1, 10, 6, 8};
  const DropoutMask mask(1, 2, 3, 10, 0.5F);
  const std::vector<float> ones(static_cast<std::size_t>(columns.size()), 1);
  std::vector<float> a(static_cast<std::size_t>(rows.size()));
  std::vector<float> b(static_cast<std::size_t>(columns.size()));
  dropout(mask, 100, ones.data(), a.data(), rows, false);
  dropout(mask, 100, ones.data(), b.data(), columns, true);
  int kept = 0;
  for (int s = 0; s < 6; ++s) {
    for (int c = 0; c < 10; ++c) {
      const float value = a[static_cast<std::size_t>(rows.at(s, c, 0))];
      EXPECT_EQ(value, b[static_cast<std::size_t>(columns.at(0, c, s))]);
      EXPECT_TRUE(value == 0 || value == 2);
      kept += value > 0 ? 1 : 0;
    }
  }
  EXPECT_GT(kept, 15);
  EXPECT_LT(kept, 45);
}

}  // namespace
}  // namespace lockstep::kernel
