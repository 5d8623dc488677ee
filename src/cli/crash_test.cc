#include "cli/crash.h"

#include <gtest/gtest.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <thread>

namespace lockstep::cli {
namespace {

constexpr std::array kRanks = {4, 5};

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
