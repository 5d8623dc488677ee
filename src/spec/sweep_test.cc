#include "spec/sweep.h"

#include <gmock/gmock.h>

#include <set>
#include <tuple>

#include "base/error.h"
#include "spec/names.h"
#include "tests/golden.h"

namespace lockstep::spec {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Not;

Sweep resolved() {
  Sweep sweep;
  sweep.models = {{"alexnet", 32}, {"mobilenet", 16}};
  sweep.devices = {1, 2, 4};
  sweep.threads_per_device = 2;
  sweep.launch_time = 4;
  return sweep;
}

// A plan for people: the points with their flags, and what each line of the table refers to.
std::string text_of(const Plan& plan) {
  std::string text = "points\n";
  for (const Point& point : plan.points) {
    text +=
        fmt::format("  {}\n    --devices={} --num_ps={}\n", point.id, point.devices, point.num_ps);
    for (const std::string& flag : point.flags) text += fmt::format("    {}\n", flag);
  }
  text += "rows\n";
  const auto id = [&](const std::optional<std::size_t>& index) {
    return index ? plan.points[*index].id : "none";
  };
  for (const Row& row : plan.rows) {
    text += fmt::format("  {} {} {}{}\n    baseline {}\n    ceiling {}\n", name(row.scaling),
                        row.series_batch, plan.points[row.point].id,
                        row.is_ceiling ? " (ceiling)" : "", id(row.baseline), id(row.ceiling));
  }
  return text;
}

TEST(Plan, IsTheCommittedOne) {
  Sweep sweep = resolved();
  sweep.strategies = {"parameter_server", "replicated"};
  sweep.num_ps = {0, 1};
  sweep.scaling = {Scaling::weak, Scaling::strong};
  sweep.run_flags = {{"all_reduce_spec", "ring"}, {"optimizer", "momentum"}};
  expect_golden("src/spec/golden/plan.txt", text_of(expand(sweep)));
}

TEST(Plan, MeasuresAPointThatTwoSeriesShareOnce) {
  Sweep sweep = resolved();
  sweep.models = {{"alexnet", 32}};
  sweep.ceiling = false;
  sweep.scaling = {Scaling::weak, Scaling::strong};
  const Plan plan = expand(sweep);
  EXPECT_EQ(plan.points.size(), 5);
  EXPECT_EQ(plan.rows.size(), 6);
  std::set<std::string> ids;
  for (const Point& point : plan.points) ids.insert(point.id);
  EXPECT_EQ(ids.size(), plan.points.size());
}

TEST(Plan, HasNoCeilingAtTheSmallestCount) {
  const Plan plan = expand(resolved());
  for (const Row& row : plan.rows) {
    const bool has_ceiling = row.ceiling.has_value() || row.is_ceiling;
    EXPECT_EQ(has_ceiling, plan.points[row.point].devices > 1) << plan.points[row.point].id;
  }
}

TEST(Plan, TakesIndependentForTheCeilingWhereItIsListed) {
  Sweep sweep = resolved();
  sweep.strategies = {"replicated", "independent"};
  const Plan plan = expand(sweep);
  EXPECT_EQ(plan.points.size(), 12);
  for (const Row& row : plan.rows) EXPECT_FALSE(row.is_ceiling);
  EXPECT_TRUE(plan.rows[0].ceiling.has_value());
}

TEST(Plan, RefersToTheSmallestCountWhereOneDeviceIsNotMeasured) {
  Sweep sweep = resolved();
  sweep.models = {{"alexnet", 32}};
  sweep.devices = {2, 4};
  sweep.ceiling = false;
  const Plan plan = expand(sweep);
  EXPECT_EQ(plan.rows[1].baseline, 0);
}

TEST(Plan, GivesAFlagOnlyToStrategiesThatTakeIt) {
  Sweep sweep = resolved();
  sweep.run_flags = {{"all_reduce_spec", "ring"}};
  for (const Point& point : expand(sweep).points) {
    const testing::Matcher<std::vector<std::string>> has = Contains("--all_reduce_spec=ring");
    EXPECT_THAT(point.flags, point.strategy == "replicated" ? has : Not(has)) << point.id;
  }
}

TEST(Plan, LeavesAFlagThatNoStrategyTakesForRunToRefuse) {
  Sweep sweep = resolved();
  sweep.run_flags = {{"staged_vars", "true"}};
  for (const Point& point : expand(sweep).points) {
    EXPECT_THAT(point.flags, Contains("--staged_vars=true"));
  }
}

TEST(Plan, MeasuresEveryPointWithEachInputSideBySide) {
  Sweep sweep = resolved();
  sweep.models = {{"alexnet", 32}};
  sweep.devices = {1, 2};
  sweep.inputs = {InputKind::synthetic, InputKind::cached, InputKind::real};
  sweep.run_flags = {{"data_dir", "/d"}, {"distortions", "true"}, {"optimizer", "momentum"}};
  expect_golden("src/spec/golden/plan_of_inputs.txt", text_of(expand(sweep)));
}

TEST(Plan, RefersToTheSameInputAtOneDeviceAndToMadeUpImagesBesideIt) {
  Sweep sweep = resolved();
  sweep.models = {{"alexnet", 32}};
  sweep.inputs = {InputKind::real, InputKind::synthetic};
  sweep.run_flags = {{"data_dir", "/d"}};
  const Plan plan = expand(sweep);
  for (const Row& row : plan.rows) {
    const Point& point = plan.points[row.point];
    EXPECT_EQ(plan.points[*row.baseline].input, point.input) << point.id;
    EXPECT_EQ(row.synthetic.has_value(), point.input == InputKind::real) << point.id;
    if (!row.synthetic) continue;
    const Point& made_up = plan.points[*row.synthetic];
    EXPECT_EQ(std::tie(made_up.devices, made_up.strategy), std::tie(point.devices, point.strategy));
    EXPECT_EQ(made_up.input, InputKind::synthetic);
  }
}

// Directories of sweeps that exist are called like this.
TEST(Plan, IsNotChangedByADatasetWhereInputsAreNotCompared) {
  Sweep sweep = resolved();
  sweep.run_flags = {{"data_dir", "/d"}};
  const Plan plan = expand(sweep);
  EXPECT_EQ(plan.points[0].id, "alexnet-b32-d1-replicated");
  EXPECT_THAT(plan.points[0].flags, Contains("--data_dir=/d"));
  EXPECT_EQ(to_json(sweep).find("inputs"), std::string::npos);
}

TEST(Plan, RefusesBatchesThatStrongScalingCannotDivide) {
  Sweep sweep = resolved();
  sweep.scaling = {Scaling::strong};
  sweep.devices = {1, 3};
  try {
    expand(sweep);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    EXPECT_STREQ(error.what(),
                 "strong scaling: a batch of 32 (alexnet) cannot be divided evenly by 3 devices");
  }
}

TEST(Plan, IsRefusedWithItsCountWhereItIsTooLarge) {
  Sweep sweep = resolved();
  sweep.models.clear();
  for (int batch = 1; batch <= 10'000; ++batch) sweep.models.push_back({"lenet", batch});
  sweep.devices.clear();
  for (int devices = 1; devices <= 10; ++devices) sweep.devices.push_back(devices);
  sweep.ceiling = false;
  EXPECT_EQ(expand(sweep).points.size(), kMaxPoints);
  sweep.ceiling = true;
  sweep.strategies = {"replicated", "parameter_server"};
  sweep.num_ps = {0, 1};
  try {
    expand(sweep);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "a sweep of 390,000 points is too large: at most 100,000");
    EXPECT_EQ(error.code(), ExitCode::usage);
  }
}

TEST(PointId, IsSafeAsAFileName) {
  Sweep sweep = resolved();
  sweep.models = {{"../a b\n\xff", 1}};
  EXPECT_EQ(expand(sweep).points[0].id, "..%2fa%20b%0a%ff-b1-d1-replicated");
}

TEST(Doubling, EndsWithTheLast) {
  EXPECT_THAT(doubling(1, 1), ElementsAre(1));
  EXPECT_THAT(doubling(1, 8), ElementsAre(1, 2, 4, 8));
  EXPECT_THAT(doubling(1, 12), ElementsAre(1, 2, 4, 8, 12));
  EXPECT_THAT(doubling(3, 7), ElementsAre(3, 6, 7));
}

}  // namespace
}  // namespace lockstep::spec
