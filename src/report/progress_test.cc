#include "report/progress.h"

#include <gtest/gtest.h>

namespace lockstep::report {
namespace {

TEST(ProgressText, ShowsABarAndWhenItWillEnd) {
  EXPECT_EQ(progress_text(25, 100, 5, 54),
            "[#####...............] 25/100 steps, 5.0 s, ETA 15.0 s");
}

TEST(ProgressText, FitsTheWidth) {
  for (int width = 1; width < 200; ++width) {
    EXPECT_LE(progress_text(50, 100, 1e6, width).size(), static_cast<std::size_t>(width));
  }
}

TEST(ProgressText, HasNoBarWithoutRoomAndNoEtaBeforeTheFirstStep) {
  EXPECT_EQ(progress_text(50, 100, 5, 0), "50/100 steps, 5.0 s, ETA 5.0 s");
  EXPECT_EQ(progress_text(0, 100, 5, 0), "0/100 steps, 5.0 s");
}

TEST(ProgressText, IsFullAtTheEnd) {
  EXPECT_EQ(progress_text(100, 100, 5, 43), "[####################] 100/100 steps, 5.0 s");
}

// A clock that the test moves, and a text instead of stderr.
struct Fake {
  double time = 100;
  int width = 61;
  std::string written;

  Progress::Output output(bool terminal) {
    return {.terminal = terminal,
            .width = [this] { return width; },
            .clock = [this] { return time; },
            .write = [this](std::string_view text) { written += text; }};
  }
};

TEST(Progress, PrintsALineEveryTenSecondsIntoALogFile) {
  Fake fake;
  Progress progress(100, fake.output(false));
  for (int step = 1; step <= 25; ++step) {
    fake.time += 1;
    progress.update(step);
  }
  progress.hide();
  EXPECT_EQ(fake.written,
            "10/100 steps, 10.0 s, ETA 1 min 30 s\n"
            "20/100 steps, 20.0 s, ETA 1 min 20 s\n");
}

TEST(Progress, CountsWhatItIsTold) {
  Fake fake;
  Progress progress(300, fake.output(false), "MiB copied");
  fake.time += 10;
  progress.update(100);
  EXPECT_EQ(fake.written, "100/300 MiB copied, 10.0 s, ETA 20.0 s\n");
}

TEST(Progress, RedrawsInPlaceOnATerminalAndLeavesNothingBehind) {
  Fake fake;
  Progress progress(4, fake.output(true));
  fake.time += 0.5;
  progress.update(1);
  fake.time += 0.01;
  progress.update(2);  // too soon to be seen
  fake.time += 0.49;
  progress.update(2);
  progress.hide();
  progress.hide();  // nothing left to take off
  EXPECT_EQ(fake.written,
            "\r\x1b[K[#######.......................] 1/4 steps, 0.5 s, ETA 1.5 s"
            "\r\x1b[K[###############...............] 2/4 steps, 1.0 s, ETA 1.0 s"
            "\r\x1b[K");
}

TEST(Progress, FollowsATerminalThatBecomesNarrower) {
  Fake fake;
  Progress progress(4, fake.output(true));
  fake.width = 45;
  fake.time += 1;
  progress.update(2);
  EXPECT_EQ(fake.written, "\r\x1b[K[#######.......] 2/4 steps, 1.0 s, ETA 1.0 s");
}

TEST(Progress, ReckonsFromTheStartOfTheCountedSteps) {
  Fake fake;
  Progress progress(4, fake.output(false));
  fake.time += 50;  // compiling, warming up
  progress.start();
  fake.time += 10;
  progress.update(1);
  EXPECT_EQ(fake.written, "1/4 steps, 10.0 s, ETA 30.0 s\n");
}

TEST(Progress, AnnouncesOnATerminalOnlyAndTakesItOffWhateverEndsTheRun) {
  for (const bool terminal : {true, false}) {
    Fake fake;
    {
      Progress progress(4, fake.output(terminal));
      progress.announce("warming up");
    }
    EXPECT_EQ(fake.written, terminal ? "\r\x1b[Kwarming up\r\x1b[K" : "");
  }
}

TEST(OneLine, IsNeverBrokenIntoTwo) {
  EXPECT_EQ(one_line("[3/12] net, launch 2", 80), "[3/12] net, launch 2");
  EXPECT_EQ(one_line("[3/12] net, launch 2", 21), "[3/12] net, launch 2");
  EXPECT_EQ(one_line("[3/12] net, launch 2", 20), "[3/12] net, laun...");
  EXPECT_EQ(one_line("[3/12] net, launch 2", 0), "[3/12] net, launch 2");
}

}  // namespace
}  // namespace lockstep::report
