#include "report/sweep_view.h"

#include <gmock/gmock.h>
#include <utime.h>

#include <nlohmann/json.hpp>

#include "base/directory_for_test.h"
#include "base/files.h"
#include "record/samples_file.h"
#include "report/watch_page.h"
#include "report/watch_text.h"
#include "result/run_for_test.h"
#include "tests/golden.h"

namespace lockstep::report {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
namespace fs = std::filesystem;

constexpr std::time_t kStart = 1'700'000'000;

// Two points, three launches each, begun at kStart.
class AWatchedSweep : public DirectoryTest {
 protected:
  AWatchedSweep() {
    sweep_.models = {{"lenet", 4}};
    sweep_.devices = {1, 2};
    sweep_.ceiling = false;
  }

  void begin() { put("sweep.json", spec::to_json(sweep_), kStart); }
  void put(const std::string& name, const std::string& text, std::time_t changed) {
    fs::create_directories((path_ / name).parent_path());
    write_file(path_ / name, text);
    const utimbuf times{changed, changed};
    ASSERT_EQ(utime((path_ / name).c_str(), &times), 0);
  }
  void finish(int devices, int launch, std::time_t changed) {
    put(fmt::format("points/lenet-b4-d{}-replicated/{}/run.json", devices, launch),
        result::run_json_of_lenet(devices), changed);
  }
  // Steps of half a second.
  void run(int devices, int launch, int steps) {
    const fs::path place =
        path_ / fmt::format("points/lenet-b4-d{}-replicated/{}.running", devices, launch);
    fs::create_directories(place);
    record::SamplesWriter writer(record::samples_path(place, 0), {.rank = 0, .host = "host07"});
    for (int step = 0; step < steps; ++step) {
      writer.append({.step = step, .begin = 0.5 * step, .end = 0.5 * (step + 1)});
    }
  }
  SweepView look(bool locked = true, std::time_t later = 40) {
    return SweepWatch(path_).look(locked, kStart + later);
  }

  const fs::path path_ = directory_ / "nightly";
  spec::Sweep sweep_;
};

TEST_F(AWatchedSweep, IsWaitedFor) {
  EXPECT_EQ(look().state, SweepState::waiting);
  EXPECT_EQ(look().report.id, "nightly");
  EXPECT_EQ(watch_line(look()), "waiting for a sweep to start in " + path_.string());
}

TEST_F(AWatchedSweep, SaysHowFarItIsAndHowFast) {
  begin();
  finish(1, 1, kStart + 20);
  finish(2, 1, kStart + 30);
  run(2, 2, 25);
  const SweepView view = look();
  EXPECT_EQ(view.state, SweepState::running);
  EXPECT_EQ(view.done, 2);
  EXPECT_EQ(view.expected, 6);
  // 15 s a launch, four are left, and 10 s of that are over.
  EXPECT_DOUBLE_EQ(view.seconds_left.value(), 50);
  ASSERT_TRUE(view.running);
  EXPECT_EQ(view.running->point, 1);
  EXPECT_EQ(view.running->round, 1);
  EXPECT_EQ(view.running->steps, 25);
  EXPECT_DOUBLE_EQ(current_speed(view).value(), 2 * 4 / 0.5);
  EXPECT_EQ(watch_line(view), "[2/6] running, ETA 50.0 s: lenet-b4-d2-replicated, launch 2");
  EXPECT_THAT(watch_table(view),
              testing::StartsWith("[2/6] running, 16.0 images/s, ETA 50.0 s: "
                                  "lenet-b4-d2-replicated, launch 2, step 25\n"));
  EXPECT_THAT(watch_table(view), HasSubstr("speed-up"));
  const std::string narrow = watch_table(view, 50);
  EXPECT_THAT(narrow, HasSubstr("images/s"));
  EXPECT_THAT(narrow, Not(HasSubstr("95 %")));
  expect_golden("src/report/golden/watch_state.json", watch_site(view).at("/state.json").content);
}

// The first launch took 10 s; the second has run for 60: the four after it are still to come.
TEST_F(AWatchedSweep, DoesNotPromiseItsEndWhileLaunchesAreLeft) {
  begin();
  finish(1, 1, kStart + 10);
  EXPECT_DOUBLE_EQ(look(true, 70).seconds_left.value(), 40);
  SweepView view = look(true, 70);
  view.done = view.expected - 1;
  view.seconds_left = 0;
  EXPECT_THAT(watch_line(view), HasSubstr("ETA late: this launch takes longer than the others"));
  view.done = view.expected;
  EXPECT_THAT(watch_line(view), HasSubstr("ETA at any moment"));
}

TEST_F(AWatchedSweep, CountsOnlyLaunchesOfThisStartWhenItWasResumed) {
  begin();
  finish(1, 1, kStart - 5000);
  finish(2, 1, kStart + 10);
  EXPECT_DOUBLE_EQ(look(true, 10).seconds_left.value(), 40);
  sweep_.max_time = 25;
  begin();
  EXPECT_DOUBLE_EQ(look(true, 10).seconds_left.value(), 15);
}

TEST_F(AWatchedSweep, IsCompleteOrStoppedWhenNobodyWorksOnIt) {
  begin();
  for (const int launch : {1, 2, 3}) finish(1, launch, kStart);
  EXPECT_EQ(look(false).state, SweepState::stopped);
  put("points/lenet-b4-d2-replicated/1.failed/run.json", "", kStart);
  const SweepView view = look(false);
  EXPECT_EQ(view.state, SweepState::complete);
  EXPECT_EQ(view.failed, 1);
  EXPECT_FALSE(view.seconds_left);
}

// A lock on another host is not seen here: what a rank writes is.
TEST_F(AWatchedSweep, RunsWhileSomethingIsWritten) {
  begin();
  run(1, 1, 2);
  const SweepView alive = SweepWatch(path_).look(false, std::time(nullptr) + 10);
  EXPECT_EQ(alive.state, SweepState::running);
  EXPECT_EQ(SweepWatch(path_).look(false, std::time(nullptr) + 1000).state, SweepState::stopped);
}

// Who has released the lock of this machine has ended, whatever was written just before.
TEST_F(AWatchedSweep, IsOverWhenItsLockIsReleased) {
  begin();
  run(1, 1, 2);
  SweepWatch watch(path_);
  EXPECT_EQ(watch.look(true, std::time(nullptr)).state, SweepState::running);
  const SweepView view = watch.look(false, std::time(nullptr));
  EXPECT_EQ(view.state, SweepState::stopped);
  EXPECT_TRUE(view.over);
}

// Elsewhere a sweep may be between two launches.
TEST_F(AWatchedSweep, IsOverWhenNothingChangesForAWhile) {
  begin();
  finish(1, 1, kStart);
  const SweepView between = SweepWatch(path_).look(false, std::time(nullptr));
  EXPECT_EQ(between.state, SweepState::stopped);
  EXPECT_FALSE(between.over);
  EXPECT_TRUE(SweepWatch(path_).look(false, std::time(nullptr) + 1000).over);
}

TEST_F(AWatchedSweep, GivesLaunchesThatHaveNotBegunTheirTime) {
  begin();
  finish(1, 1, kStart + 10);
  const SweepView view = look(true, 1000);  // 5 of 6 are left, and the second takes long
  EXPECT_DOUBLE_EQ(view.seconds_left.value(), 40);
}

TEST_F(AWatchedSweep, SeesWhatIsNewAndReadsWhatIsHalfWritten) {
  begin();
  SweepWatch watch(path_);
  EXPECT_EQ(watch.look(true, kStart).done, 0);
  run(1, 1, 3);
  const fs::path samples =
      record::samples_path(path_ / "points/lenet-b4-d1-replicated/1.running", 0);
  const std::string whole = read_file(samples);
  for (const std::size_t length : {whole.size() - 3, std::size_t{40}, std::size_t{0}}) {
    write_file(samples, whole.substr(0, length));
    const SweepView view = watch.look(true, kStart);
    ASSERT_TRUE(view.running);
    EXPECT_EQ(view.running->steps, length > 100 ? 2 : 0);
  }
  finish(1, 1, kStart);
  fs::remove_all(samples.parent_path());
  EXPECT_EQ(watch.look(true, kStart).done, 1);
  EXPECT_FALSE(watch.look(true, kStart).running);
  EXPECT_THAT(watch.look(true, kStart).problems, IsEmpty());
}

TEST_F(AWatchedSweep, HasNamesThatDoNoHarm) {
  sweep_.models = {{"<script>alert(1)</script>\x1b[2J\u202e\"'&", 4}};
  sweep_.devices = {1};
  begin();
  run(1, 1, 0);
  const SweepView view = look();
  for (const auto& [path, file] : watch_site(view)) {
    EXPECT_THAT(file.content, Not(HasSubstr("\x1b"))) << path;
    if (file.type == "application/json") continue;  // where a script fetches it, it is text
    EXPECT_THAT(file.content, Not(HasSubstr("<script>alert"))) << path;
  }
  EXPECT_THAT(watch_site(view).at("/").content, HasSubstr("&lt;script&gt;alert(1)"));
  EXPECT_THAT(watch_table(view), Not(HasSubstr("\x1b")));
  EXPECT_THAT(watch_table(view), Not(HasSubstr("\u202e")));
}

}  // namespace
}  // namespace lockstep::report
