#include "stats/gate.h"

#include <gmock/gmock.h>

namespace lockstep::stats {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Launch launch(double speed) {
  return {.dataset = "imagenet",
          .image_size = 224,
          .classes = 1001,
          .mode = "training",
          .images_per_second = speed};
}

PointRecord measured(std::initializer_list<double> speeds) {
  PointRecord record;
  for (const double speed : speeds) record.launches.emplace_back(launch(speed));
  return record;
}

// One point for each number of devices.
spec::Plan plan(std::vector<int> devices, int threads = 1) {
  spec::Sweep sweep;
  sweep.models = {{"alexnet", 8}};
  sweep.devices = std::move(devices);
  sweep.ceiling = false;
  sweep.threads_per_device = threads;
  return spec::expand(sweep);
}

// Of one point, at a minimum effect of 2 %.
GateRow row(const PointRecord& baseline, const PointRecord& candidate, int threads = 1) {
  const spec::Plan before = plan({1});
  const spec::Plan now = plan({1}, threads);
  return gate({before, std::span(&baseline, 1)}, {now, std::span(&candidate, 1)}, 0.02).rows.at(0);
}

TEST(Gate, CallsAPointByWhereItsIntervalLies) {
  const PointRecord before = measured({100, 100, 100});
  EXPECT_EQ(row(before, measured({110, 111, 112})).verdict, Verdict::faster);
  EXPECT_EQ(row(before, measured({90, 91, 92})).verdict, Verdict::slower);
  EXPECT_EQ(row(before, measured({100, 100.1, 99.9})).verdict, Verdict::same);
  EXPECT_EQ(row(before, measured({90, 100, 110})).verdict, Verdict::undecided);
}

TEST(Gate, FailsForASlowerPointAndForOneThatFailsNow) {
  const PointRecord before = measured({100, 100});
  EXPECT_TRUE(row(before, measured({50, 50})).regression());
  EXPECT_FALSE(row(before, measured({200, 200})).regression());
  const GateRow failed = row(before, {.failure = "out of memory"});
  EXPECT_TRUE(failed.regression());
  EXPECT_FALSE(failed.undecided());
  EXPECT_EQ(failed.reason, "failed in the candidate: out of memory");
  EXPECT_FALSE(failed.candidate.has_value());
}

TEST(Gate, SaysWhyItDoesNotDecide) {
  const PointRecord good = measured({100, 100, 100});
  EXPECT_THAT(row(measured({100}), measured({50})).reason, HasSubstr("one launch"));
  EXPECT_THAT(row(good, measured({90, 100, 110})).reason, HasSubstr("over 3 launches is too wide"));
  EXPECT_EQ(row({.failure = "hung"}, good).reason, "failed in the baseline: hung");
  EXPECT_EQ(row(good, PointRecord()).reason, "not measured in the candidate");
  EXPECT_FALSE(row({.failure = "hung"}, good).regression());
  EXPECT_FALSE(row(good, PointRecord()).regression());
}

TEST(Gate, DoesNotCompareOtherWorkOrOtherDevices) {
  PointRecord other = measured({10, 10});
  for (auto& numbers : other.launches) {
    numbers->classes = 10;
    numbers->mode = "forward_only";
  }
  const GateRow work = row(measured({100, 100}), other);
  EXPECT_EQ(work.verdict, Verdict::undecided);
  EXPECT_FALSE(work.ratio.has_value());
  EXPECT_EQ(work.reason, "not comparable: mode forward_only vs training; classes 10 vs 1001");
  const GateRow devices = row(measured({100, 100}), measured({100, 100}), 2);
  EXPECT_EQ(devices.reason, "not comparable: threads per device 2 vs 1");
  EXPECT_FALSE(devices.compared());
}

TEST(Gate, CountsWhatWasComparedAndNothingElse) {
  const spec::Plan narrow = plan({1, 2}, 1), wide = plan({1, 2}, 2);
  const PointRecord good = measured({100, 100});
  const std::vector<PointRecord> both = {good, good};
  EXPECT_EQ(gate({narrow, both}, {wide, both}, 0.02).compared(), 0);
  EXPECT_EQ(gate({narrow, both}, {narrow, both}, 0.02).compared(), 2);
  const std::vector<PointRecord> failed = {{.failure = "out of memory"}, {}};
  EXPECT_EQ(gate({narrow, both}, {narrow, failed}, 0.02).compared(), 1);
}

TEST(Gate, SaysWhoStartedUnderLoad) {
  PointRecord busy = measured({100, 100, 100});
  for (auto& numbers : busy.launches) numbers->processors = 2;
  busy.launches[0]->load_average = 2.9;  // what a launch before it may leave
  EXPECT_EQ(row(measured({100, 100, 100}), busy).load, "");
  busy.launches[1]->load_average = 3.5;
  busy.launches[2]->load_average = 6.25;
  const GateRow loaded = row(measured({100, 100, 100}), busy);
  EXPECT_EQ(loaded.verdict, Verdict::same);
  EXPECT_EQ(loaded.load,
            "the candidate started 2 of 3 launches under load (load average up to 6.2 on 2 "
            "processors)");
}

TEST(Gate, TakesWhatAResultDoesNotTellForTheSame) {
  PointRecord silent = measured({100, 100});
  for (auto& numbers : silent.launches) numbers->classes = 0;
  EXPECT_EQ(row(measured({100, 100}), silent).verdict, Verdict::same);
}

TEST(Gate, NamesPointsThatOnlyOneOfThemHas) {
  const spec::Plan before = plan({1, 2, 8});
  const spec::Plan now = plan({1, 4, 8});
  const PointRecord good = measured({100, 100});
  const std::vector<PointRecord> tried = {good, good, {}};
  const std::vector<PointRecord> all = {good, good, good};
  const Gate result = gate({before, tried}, {now, all}, 0.02);
  EXPECT_EQ(result.compared(), 1);
  EXPECT_EQ(result.rows.at(0).verdict, Verdict::same);
  EXPECT_EQ(result.rows.at(1).reason, "the candidate has no such point");
  EXPECT_TRUE(result.rows.at(1).undecided());
  EXPECT_EQ(result.rows.size(), 2);  // the third was planned, but never measured
  EXPECT_THAT(result.added, ElementsAre("alexnet-b8-d4-replicated", "alexnet-b8-d8-replicated"));
  EXPECT_FALSE(result.regression());
  EXPECT_EQ(gate({before, tried}, {before, tried}, 0.02).added.size(), 0);
}

}  // namespace
}  // namespace lockstep::stats
