#include "engine/arena.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/rng.h"

namespace lockstep::engine {
namespace {

void expect_no_overlap(const std::vector<Lifetime>& lifetimes, const ArenaPlan& plan) {
  for (std::size_t a = 0; a < lifetimes.size(); ++a) {
    EXPECT_LE(plan.offsets[a] + lifetimes[a].bytes, plan.bytes);
    EXPECT_EQ(plan.offsets[a] % 64, 0U);
    for (std::size_t b = 0; b < a; ++b) {
      const bool together =
          lifetimes[a].first <= lifetimes[b].last && lifetimes[b].first <= lifetimes[a].last;
      const bool apart = plan.offsets[a] + lifetimes[a].bytes <= plan.offsets[b] ||
                         plan.offsets[b] + lifetimes[b].bytes <= plan.offsets[a];
      EXPECT_TRUE(!together || apart) << a << " and " << b;
    }
  }
}

TEST(Arena, KeepsBuffersThatLiveTogetherApart) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const Rng rng(seed);
    std::vector<Lifetime> lifetimes;
    for (std::uint64_t i = 0; i < 120; ++i) {
      const int first = static_cast<int>(rng.bits(3 * i) % 100);
      const int length = static_cast<int>(rng.bits(3 * i + 1) % 40);
      lifetimes.push_back({rng.bits(3 * i + 2) % 100'000, first, first + length});
    }
    expect_no_overlap(lifetimes, plan_arena(lifetimes));
  }
}

TEST(Arena, UsesTheSamePlaceForBuffersThatNeverMeet) {
  const std::vector<Lifetime> lifetimes = {{1000, 0, 1}, {1000, 2, 3}, {1000, 4, 5}};
  const ArenaPlan plan = plan_arena(lifetimes);
  EXPECT_EQ(plan.offsets, (std::vector<std::size_t>{0, 0, 0}));
  EXPECT_LT(plan.bytes, 2 * std::size_t{1000} + 1200);
}

TEST(Arena, OfNothingIsEmpty) {
  EXPECT_EQ(plan_arena({}).bytes, 0U);
}

}  // namespace
}  // namespace lockstep::engine
