#include "cli/start_guard.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

#include "base/streams.h"
#include "cli/interrupt.h"

namespace lockstep::cli {
namespace {

constexpr std::chrono::milliseconds kNone(0);

TEST(StartGuard, EndsAProcessThatDoesNotObeyBeforeItsFirstStep) {
  const auto start = [] {
    const StartGuard guard([](const Error& error) { print_message("{}\n", error.what()); }, kNone);
    Interrupt::ask(SIGTERM);
    while (true) pause();
  };
  EXPECT_EXIT(start(), ::testing::ExitedWithCode(143), "^interrupted before the first step\n$");
}

TEST(StartGuard, LeavesLaterSignalsToTheRanks) {
  const auto start = [] {
    {
      StartGuard guard([](const Error&) { std::_Exit(1); }, kNone);
      guard.first_step_done();
      Interrupt::ask(SIGTERM);
    }
    std::_Exit(7);
  };
  EXPECT_EXIT(start(), ::testing::ExitedWithCode(7), "");
}

}  // namespace
}  // namespace lockstep::cli
