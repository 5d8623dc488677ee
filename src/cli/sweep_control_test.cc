#include "cli/sweep_control.h"

#include <gmock/gmock.h>

#include "base/error.h"

namespace lockstep::cli {
namespace {

using testing::ElementsAre;

Launched speed(double images_per_second) {
  return {.numbers = stats::Launch{.images_per_second = images_per_second}};
}
Launched died() {
  return {.failure = "rank 1 died", .worth_retrying = true};
}

// A sweep of two points whose launches take a second each and come to what a function says.
struct Simulation {
  spec::Sweep sweep;
  std::function<Launched(std::size_t, int)> launch = [](std::size_t, int) { return speed(10); };
  std::vector<stats::PointRecord> records = {};
  std::vector<std::string> launched = {};  // "0/2": point 0 in round 2
  std::vector<double> left = {};           // what the progress promised

  SweepEnding run() {
    spec::Plan plan;
    plan.points.resize(2);
    double time = 0;
    const SweepHooks hooks{
        .launch =
            [&](std::size_t point, int round) {
              launched.push_back(fmt::format("{}/{}", point, round));
              time += 1;
              return launch(point, round);
            },
        .on_start = [&](const SweepProgress& progress) { left.push_back(progress.left); },
        .on_end = [](const SweepProgress&, const Launched&, bool) {},
        .clock = [&] { return time; }};
    return run_sweep(sweep, plan, hooks, records);
  }
};

TEST(RunSweep, InterleavesPointsAndTurnsRoundEveryRound) {
  Simulation simulation;
  EXPECT_EQ(simulation.run(), SweepEnding::complete);
  EXPECT_THAT(simulation.launched, ElementsAre("0/0", "1/0", "1/1", "0/1", "0/2", "1/2"));
  EXPECT_THAT(simulation.left, ElementsAre(0, 5, 4, 3, 2, 1));
}

TEST(RunSweep, LaunchesNothingThatIsThereAlready) {
  Simulation simulation;
  simulation.records.resize(2);
  simulation.records[0].launches = {speed(1).numbers, std::nullopt, speed(3).numbers};
  simulation.records[1].launches = {speed(1).numbers};
  EXPECT_EQ(simulation.run(), SweepEnding::complete);
  EXPECT_THAT(simulation.launched, ElementsAre("1/1", "0/1", "1/2"));
  EXPECT_EQ(simulation.records[0].launches[2]->images_per_second, 3);
}

TEST(RunSweep, RetriesAPointWhoseRanksDied) {
  Simulation simulation;
  simulation.launch = [deaths = 0](std::size_t point, int) mutable {
    return point == 0 && deaths++ == 0 ? died() : speed(10);
  };
  EXPECT_EQ(simulation.run(), SweepEnding::complete);
  EXPECT_THAT(simulation.launched, ElementsAre("0/0", "0/0", "1/0", "1/1", "0/1", "0/2", "1/2"));
  EXPECT_EQ(simulation.records[0].failure, "");
}

TEST(RunSweep, GoesOnWithoutAPointThatKeepsFailing) {
  Simulation simulation;
  simulation.launch = [](std::size_t point, int) { return point == 0 ? died() : speed(10); };
  EXPECT_EQ(simulation.run(), SweepEnding::complete);
  EXPECT_THAT(simulation.launched, ElementsAre("0/0", "0/0", "1/0", "1/1", "1/2"));
  EXPECT_EQ(simulation.records[0].failure, "rank 1 died");
  EXPECT_EQ(simulation.records[0].code, ExitCode::rank_failed);
  EXPECT_EQ(simulation.records[1].failure, "");
}

TEST(RunSweep, DoesNotRetryWhatCannotGoWell) {
  Simulation simulation;
  simulation.launch = [](std::size_t, int) {
    return Launched{.failure = "no such host", .code = ExitCode::launch};
  };
  EXPECT_EQ(simulation.run(), SweepEnding::complete);
  EXPECT_THAT(simulation.launched, ElementsAre("0/0", "1/0"));
  EXPECT_EQ(simulation.records[0].code, ExitCode::launch);
}

TEST(RunSweep, GoesOnUntilEveryPointIsPreciseEnough) {
  Simulation simulation;
  simulation.sweep.target_precision = 0.05;
  // Point 1 is off by 10 % in the first round: its interval narrows as rounds are added.
  simulation.launch = [](std::size_t point, int round) {
    return speed(point == 1 && round == 0 ? 9 : 10);
  };
  EXPECT_EQ(simulation.run(), SweepEnding::complete);
  const auto& record = simulation.records[1];
  EXPECT_LE(*stats::estimate(stats::speeds(record))->precision(), 0.05);
  EXPECT_EQ(record.launches.size(), 6);  // looked at after 3, 4 and 6
}

TEST(RunSweep, GivesUpOnPrecisionThatDoesNotCome) {
  Simulation simulation;
  simulation.sweep.target_precision = 0.001;
  simulation.launch = [](std::size_t, int round) { return speed(round % 2 == 0 ? 5 : 10); };
  EXPECT_EQ(simulation.run(), SweepEnding::complete);
  EXPECT_EQ(simulation.records[0].launches.size(), 30);
}

TEST(RunSweep, StartsNothingWhenTheTimeIsUp) {
  Simulation simulation;
  simulation.sweep.max_time = 2.5;
  EXPECT_EQ(simulation.run(), SweepEnding::time_up);
  EXPECT_THAT(simulation.launched, ElementsAre("0/0", "1/0", "1/1"));
}

TEST(RunSweep, EndsAtOnceWhenItIsInterruptedAndKeepsTheRest) {
  Simulation simulation;
  simulation.launch = [](std::size_t point, int) {
    return point == 1 ? Launched{.interrupted = true} : speed(10);
  };
  EXPECT_EQ(simulation.run(), SweepEnding::interrupted);
  EXPECT_THAT(simulation.launched, ElementsAre("0/0", "1/0"));
  EXPECT_EQ(simulation.records[0].launches.size(), 1);
  EXPECT_EQ(simulation.records[1].failure, "");
}

}  // namespace
}  // namespace lockstep::cli
