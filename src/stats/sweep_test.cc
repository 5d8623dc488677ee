#include "stats/sweep.h"

#include <gmock/gmock.h>

#include <cmath>

namespace lockstep::stats {
namespace {

PointRecord launched(std::initializer_list<double> speeds) {
  PointRecord record;
  for (const double speed : speeds) record.launches.push_back(Launch{.images_per_second = speed});
  return record;
}

// Rows: 1 replicated, 2 replicated, 2 independent.
spec::Plan plan() {
  spec::Sweep sweep;
  sweep.models = {{"alexnet", 8}};
  sweep.devices = {1, 2};
  return spec::expand(sweep);
}

TEST(SweepSummary, RelatesSpeedsToOneDeviceAndToTheCeiling) {
  const auto rows = summarise(
      plan(), std::vector{launched({100, 110}), launched({150, 165}), launched({200, 220})});
  EXPECT_DOUBLE_EQ(rows[1].speed_up->value, 1.5);
  EXPECT_DOUBLE_EQ(rows[1].efficiency->value, 0.75);
  EXPECT_NEAR(rows[1].efficiency->interval->half_width(), 0, 1e-9);  // the drift is both's
  EXPECT_DOUBLE_EQ(rows[1].of_ceiling->value, 0.75);
  EXPECT_DOUBLE_EQ(rows[2].efficiency->value, 1);
  EXPECT_EQ(rows[1].baseline_devices, 1);
}

TEST(SweepSummary, IsCertainThatOneDeviceIsOneDevice) {
  const auto rows =
      summarise(plan(), std::vector{launched({100, 120}), launched({1}), launched({1})});
  EXPECT_DOUBLE_EQ(rows[0].speed_up->value, 1);
  EXPECT_FALSE(rows[0].speed_up->interval.has_value());
}

TEST(SweepSummary, GivesAFailedPointNoNumbers) {
  auto failed = launched({100});
  failed.failure = "rank 1 died";
  const auto rows = summarise(plan(), std::vector{failed, launched({150}), PointRecord()});
  EXPECT_FALSE(rows[0].speed.has_value());
  EXPECT_TRUE(rows[1].speed.has_value());
  EXPECT_FALSE(rows[1].speed_up.has_value());
  EXPECT_FALSE(rows[1].of_ceiling.has_value());
  EXPECT_FALSE(rows[2].speed.has_value());
}

TEST(SweepSummary, RefersToTheSmallestCountThatWasMeasured) {
  spec::Sweep sweep;
  sweep.models = {{"alexnet", 8}};
  sweep.devices = {2, 6};
  sweep.ceiling = false;
  const auto rows = summarise(spec::expand(sweep), std::vector{launched({100}), launched({240})});
  EXPECT_DOUBLE_EQ(rows[1].speed_up->value, 2.4);
  EXPECT_DOUBLE_EQ(rows[1].efficiency->value, 0.8);
  EXPECT_EQ(rows[1].baseline_devices, 2);
}

TEST(SweepSummary, KnowsNoScalingOfSeveralDevicesAlone) {
  spec::Sweep sweep;
  sweep.models = {{"alexnet", 8}};
  sweep.devices = {8};
  const auto rows = summarise(spec::expand(sweep), std::vector{launched({100, 110})});
  EXPECT_TRUE(rows[0].speed);
  EXPECT_FALSE(rows[0].speed_up);
  EXPECT_FALSE(rows[0].efficiency);
  EXPECT_EQ(rows[0].baseline_devices, 0);
}

std::vector<bool> best(const std::vector<RowSummary>& rows) {
  std::vector<bool> best;
  for (const RowSummary& row : rows) best.push_back(row.best);
  return best;
}

// Points: d1-ps0, d1-ps1, d2-ps0, d2-ps1, d2-independent.
spec::Plan servers() {
  spec::Sweep sweep;
  sweep.models = {{"alexnet", 8}};
  sweep.devices = {1, 2};
  sweep.strategies = {"parameter_server"};
  sweep.num_ps = {0, 1};
  return spec::expand(sweep);
}

TEST(SweepSummary, MarksTheBestOfSeveralConfigurations) {
  const auto rows =
      summarise(servers(), std::vector{launched({9, 9.1}), launched({10, 10.1}),
                                       launched({18, 18.2}), launched({17, 17.1}), launched({20})});
  EXPECT_THAT(best(rows), testing::ElementsAre(false, true, true, false, false));
}

// As fast on average, and the launches show no more.
TEST(SweepSummary, MarksNothingThatIsNotToldApartFromTheFastest) {
  const auto rows =
      summarise(servers(), std::vector{launched({9}), launched({10}), launched({2.59, 2.80}),
                                       launched({1.65, 5.59}), launched({20})});
  EXPECT_THAT(best(rows), testing::Each(false));
  EXPECT_TRUE(rows[1].fastest);
  EXPECT_TRUE(rows[3].fastest);
  EXPECT_THAT(rows[3].rivals, testing::ElementsAre(2));
}

// Rows: d1-replicated, d1-parameter_server, d2-replicated, d2-parameter_server.
spec::Sweep strategies() {
  spec::Sweep sweep;
  sweep.models = {{"alexnet", 8}};
  sweep.devices = {1, 2};
  sweep.strategies = {"replicated", "parameter_server"};
  sweep.ceiling = false;
  return sweep;
}

const std::vector<PointRecord> kTwoStrategies = {launched({10, 10.1}), launched({12, 12.1}),
                                                 launched({18, 18.2}), launched({17, 17.1})};

TEST(SweepSummary, SharesABaselineAmongStrategiesThatDoTheSameOnOneDevice) {
  const auto rows = summarise(spec::expand(strategies()), kTwoStrategies);
  for (const RowSummary& row : rows) EXPECT_EQ(row.baseline, 0);
  EXPECT_DOUBLE_EQ(rows[3].speed_up->value, rows[3].speed->value / rows[0].speed->value);
  EXPECT_DOUBLE_EQ(rows[1].speed_up->value, rows[1].speed->value / rows[0].speed->value);
  EXPECT_TRUE(rows[1].speed_up->interval);
  EXPECT_THAT(best(rows), testing::ElementsAre(false, false, true, false));
  EXPECT_TRUE(rows[0].fastest);  // stands for both
  EXPECT_FALSE(rows[1].fastest);
}

TEST(SweepSummary, TakesTheNextBaselineOfTheSameWorkWhereTheFirstFailed) {
  std::vector<PointRecord> records = kTwoStrategies;
  records[0].failure = "rank 0 died";
  const auto rows = summarise(spec::expand(strategies()), records);
  EXPECT_EQ(rows[2].baseline, 1);
  EXPECT_DOUBLE_EQ(rows[2].speed_up->value, rows[2].speed->value / rows[1].speed->value);
}

TEST(SweepSummary, KeepsTheBaselinesOfStrategiesThatDifferOnOneDevice) {
  spec::Sweep asynchronous = strategies();
  asynchronous.run_flags = {{"cross_replica_sync", "false"}};
  EXPECT_EQ(summarise(spec::expand(asynchronous), kTwoStrategies)[3].baseline, 1);
  spec::Sweep from_two = strategies();
  from_two.devices = {2, 4};
  EXPECT_EQ(summarise(spec::expand(from_two), kTwoStrategies)[3].baseline, 1);
  std::vector<PointRecord> imported = kTwoStrategies;
  for (PointRecord& record : imported) {
    for (auto& launch : record.launches) launch->imported = true;
  }
  EXPECT_EQ(summarise(spec::expand(strategies()), imported)[3].baseline, 1);
  const auto rows = summarise(servers(), std::vector{launched({9}), launched({10}), launched({18}),
                                                     launched({17}), launched({20})});
  EXPECT_EQ(rows[3].baseline, 1);
}

// 2.94 over 2.05 is not 1.82, also where the launches of a round do not all come about.
TEST(SweepSummary, HasSpeedUpsThatAgreeWithTheSpeeds) {
  PointRecord interrupted = launched({2.8, 3.1});
  interrupted.launches.emplace_back();
  const auto rows = summarise(
      plan(), std::vector{launched({1.6, 1.7, 3.1}), interrupted, launched({3.2, 3.4, 4.1})});
  EXPECT_DOUBLE_EQ(rows[1].speed_up->value, rows[1].speed->value / rows[0].speed->value);
  EXPECT_DOUBLE_EQ(rows[1].efficiency->value, rows[1].speed_up->value / 2);
  EXPECT_DOUBLE_EQ(rows[1].of_ceiling->value, rows[1].speed->value / rows[2].speed->value);
}

// Rows: synthetic, cached, real of one device.
spec::Plan inputs() {
  spec::Sweep sweep;
  sweep.models = {{"alexnet", 8}};
  sweep.devices = {1};
  sweep.inputs = {spec::InputKind::synthetic, spec::InputKind::cached, spec::InputKind::real};
  return spec::expand(sweep);
}

TEST(SweepSummary, TellsWhichShareOfTheSpeedRealImagesCost) {
  const auto rows = summarise(
      inputs(), std::vector{launched({100, 110}), launched({80, 88}), launched({50, 66})});
  EXPECT_FALSE(rows[0].io_overhead.has_value());
  EXPECT_DOUBLE_EQ(rows[1].io_overhead->value, 0.2);
  EXPECT_NEAR(rows[1].io_overhead->interval->half_width(), 0, 1e-9);  // the drift is both's
  const Estimate& real = *rows[2].io_overhead;
  EXPECT_DOUBLE_EQ(real.value, 1 - std::sqrt(0.5 * 0.6));
  EXPECT_LT(real.interval->low, real.value);
  EXPECT_GT(real.interval->high, real.value);
  EXPECT_EQ(real.launches, 2);
}

TEST(SweepSummary, HasNoOverheadWithoutTheSpeedThatItRefersTo) {
  const auto rows = summarise(inputs(), std::vector{PointRecord(), launched({80}), launched({50})});
  EXPECT_FALSE(rows[2].io_overhead.has_value());
}

TEST(SweepSummary, CallsNoInputBetterThanAnother) {
  for (const RowSummary& row :
       summarise(inputs(), std::vector{launched({3}), launched({2}), launched({1})})) {
    EXPECT_FALSE(row.best);
  }
}

TEST(SweepSummary, MarksNothingWhereThereIsNoChoice) {
  for (const RowSummary& row :
       summarise(plan(), std::vector{launched({1}), launched({2}), launched({2})})) {
    EXPECT_FALSE(row.best);
  }
}

}  // namespace
}  // namespace lockstep::stats
