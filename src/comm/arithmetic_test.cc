#include "comm/arithmetic.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace lockstep::comm {
namespace {

constexpr std::size_t kSize = 200;

std::vector<float> counted(float from) {
  std::vector<float> values(kSize);
  std::iota(values.begin(), values.end(), from);
  return values;
}

TEST(Add, AddsInPlaceToo) {
  std::vector<float> a = counted(0);
  const std::vector<float> b = counted(1000);
  add(a.data(), a.data(), b.data(), kSize);
  for (std::size_t i = 0; i < kSize; ++i) EXPECT_EQ(a[i], 1000 + 2 * static_cast<float>(i));
}

TEST(Copies, CopyEveryElementAndNoMoreWhereverTheyBegin) {
  for (auto* const copies : {copy, copy_past_caches}) {
    for (std::size_t begin = 0; begin < 20; ++begin) {
      for (const std::size_t size : {0, 1, 3, 15, 16, 17, 64, 100}) {
        const std::vector<float> in = counted(1);
        std::vector<float> out(kSize, -1.0F);
        copies(&out[begin], &in[2 * begin], size);
        std::vector<float> expected(kSize, -1.0F);
        std::copy_n(&in[2 * begin], size, &expected[begin]);
        ASSERT_EQ(out, expected) << begin << " " << size;
      }
    }
  }
}

}  // namespace
}  // namespace lockstep::comm
