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

TEST(SweepSummary, MarksTheBestOfSeveralConfigurations) {
  spec::Sweep sweep;
  sweep.models = {{"alexnet", 8}};
  sweep.devices = {1, 2};
  sweep.strategies = {"parameter_server"};
  sweep.num_ps = {0, 1};
  // Points: d1-ps0, d1-ps1, d2-ps0, d2-ps1, d2-independent.
  const auto rows = summarise(
      spec::expand(sweep),
      std::vector{launched({9}), launched({10}), launched({18}), launched({17}), launched({20})});
  std::vector<bool> best;
  for (const RowSummary& row : rows) best.push_back(row.best);
  EXPECT_THAT(best, testing::ElementsAre(false, true, true, false, false));
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

TEST(MeanOverLaunches, IsThereWhereAllLaunchesTell) {
  PointRecord record = launched({1, 1});
  record.launches.emplace_back();  // a round without one
  record.launches[0]->mfu_pct = 40;
  EXPECT_EQ(mean_over_launches(record, &Launch::mfu_pct), std::nullopt);
  record.launches[1]->mfu_pct = 50;
  EXPECT_EQ(mean_over_launches(record, &Launch::mfu_pct), 45);
  EXPECT_EQ(mean_over_launches(PointRecord(), &Launch::gflops), std::nullopt);
  record.launches[1]->imported = true;
  EXPECT_EQ(mean_over_launches(record, &Launch::gflops), std::nullopt);
  record = launched({1});
  record.failure = "rank 1 died";
  EXPECT_EQ(mean_over_launches(record, &Launch::gflops), std::nullopt);
}

}  // namespace
}  // namespace lockstep::stats
