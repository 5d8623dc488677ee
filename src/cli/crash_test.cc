#include "cli/crash.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <thread>

namespace lockstep::cli {
namespace {

constexpr std::array kRanks = {4, 5};

int* volatile g_nowhere = nullptr;

// For ever, as far as the stack is concerned.
int recurse(int depth) {
  volatile char frame[4096];
  frame[0] = static_cast<char>(depth);
  return depth < 0 ? 0 : recurse(depth + 1) + frame[0];
}

TEST(Crash, NamesTheRankOfTheThread) {
  const auto crash = [] {
    Crash::listen(kRanks);
    Crash::in_rank(4);
    std::thread([] {
      Crash::in_rank(5);
      Crash::in_step(17);
      std::raise(SIGFPE);
    }).join();
  };
  EXPECT_EXIT(
      crash(), ::testing::KilledBySignal(SIGFPE),
      "^error: rank 5 on .* crashed at step 17: Floating point exception\nhint: .*\n.*\\[0x");
}

TEST(Crash, NamesAllRanksWhereTheThreadHasNone) {
  const auto crash = [] {
    Crash::listen(kRanks);
    std::thread([] { std::abort(); }).join();
  };
  EXPECT_EXIT(crash(), ::testing::KilledBySignal(SIGABRT),
              "^error: one of ranks 4-5 on .* crashed: Aborted\n");
}

TEST(Crash, OfSeveralRanksAtOnceIsToldOfOnce) {
  const auto crash = [] {
    Crash::listen(kRanks);
    std::atomic<int> missing = 2;
    const auto rank = [&](int number) {
      Crash::in_rank(number);
      --missing;
      while (missing > 0) {
      }
      *g_nowhere = 0;
    };
    const std::jthread first(rank, 4), second(rank, 5);
  };
  for (int i = 0; i < 50; ++i) {
    EXPECT_EXIT(crash(), ::testing::KilledBySignal(SIGSEGV),
                "^error: rank [45] on [^\n]* crashed: Segmentation fault\nhint: [^\n]*\n[^:]*$");
  }
}

TEST(Crash, IsToldOfWhereNoStackIsLeft) {
  const auto crash = [] {
    Crash::listen(kRanks);
    std::thread([] {
      Crash::in_rank(5);
      recurse(0);
    }).join();
  };
  EXPECT_EXIT(crash(), ::testing::KilledBySignal(SIGSEGV),
              "^error: rank 5 on .* crashed: Segmentation fault\n");
}

TEST(Crash, LeavesASignalToWhoeverListensAlready) {
  const auto crash = [] {
    std::signal(SIGSEGV, [](int) { std::_Exit(3); });
    Crash::listen(kRanks);
    std::raise(SIGSEGV);
  };
  EXPECT_EXIT(crash(), ::testing::ExitedWithCode(3), "^$");
}

}  // namespace
}  // namespace lockstep::cli
