#include "comm/window.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "base/buffer.h"

namespace lockstep::comm {
namespace {

constexpr std::size_t kPage = 4096;

std::uintptr_t address(const void* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer);
}

TEST(Window, FitsItsMemoryOnAnyRankAndNothingOverlaps) {
  for (const std::size_t chunks : {1, 7, 1000}) {
    for (const std::size_t floats : {1, 15, 16, 12345}) {
      const Buffer memory(window_bytes(chunks, floats));
      for (int rank = 0; rank < 130; ++rank) {
        const Window w = window({memory.data(), memory.size()}, chunks, floats, rank);
        ASSERT_EQ(w.counters.size(), chunks);
        ASSERT_EQ(w.gradients.size(), floats);
        ASSERT_EQ(w.parameters.size(), floats);
        EXPECT_EQ(address(w.bell), address(memory.data()));
        EXPECT_LE(address(w.bell + 1), address(w.counters.data()));
        EXPECT_LE(address(&w.counters.back() + 1), address(w.gradients.data()));
        EXPECT_LE(address(&w.gradients.back() + 1), address(w.parameters.data()));
        EXPECT_LE(address(&w.parameters.back() + 1), address(memory.data() + memory.size()));
      }
    }
  }
}

TEST(Window, BeginsArraysOnCacheLinesAtDifferentPlacesOfAPage) {
  const Buffer memory(window_bytes(3, 5000));
  std::vector<std::uintptr_t> places;
  for (int rank = 0; rank < 16; ++rank) {
    const Window w = window({memory.data(), memory.size()}, 3, 5000, rank);
    EXPECT_EQ(address(w.gradients.data()) % 64, 0);
    EXPECT_EQ(address(w.parameters.data()) % 64, 0);
    places.push_back(address(w.gradients.data()) % kPage);
  }
  std::ranges::sort(places);
  EXPECT_EQ(std::ranges::adjacent_find(places), places.end());
}

TEST(Window, IsTheSameForAllWhoLookAtIt) {
  const Buffer memory(window_bytes(2, 100));
  const Window mine = window({memory.data(), memory.size()}, 2, 100, 3);
  const Window theirs = window({memory.data(), memory.size()}, 2, 100, 3);
  mine.parameters[42] = 7;
  mine.counters[1].value = 5;
  EXPECT_EQ(theirs.parameters[42], 7);
  EXPECT_EQ(theirs.counters[1].value, 5);
}

TEST(Bell, DoesNotLetASleeperMissARing) {
  Bell bell;
  const std::uint32_t seen = bell.rings;
  bell.ring();
  bell.sleep(seen);  // returns at once: somebody rang
  EXPECT_EQ(bell.rings, seen + 1);
  EXPECT_EQ(bell.sleepers, 0);
}

TEST(Bell, LetsASleeperLookAgainWhenNobodyRings) {
  Bell bell;
  bell.sleep(bell.rings);
  EXPECT_EQ(bell.sleepers, 0);
}

TEST(Bell, WakesWhoeverSleeps) {
  constexpr int kTurns = 1000;
  Bell bell;
  std::atomic<int> turn = 0;
  std::thread sleeper([&] {
    for (int i = 1; i <= kTurns; ++i) {
      for (;;) {
        const std::uint32_t seen = bell.rings;
        if (turn >= i) break;
        bell.sleep(seen);
      }
    }
  });
  for (int i = 1; i <= kTurns; ++i) {
    turn = i;
    bell.ring();
  }
  sleeper.join();
  EXPECT_EQ(bell.sleepers, 0);
}

}  // namespace
}  // namespace lockstep::comm
