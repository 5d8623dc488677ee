#include "stats/side_by_side.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace lockstep::stats {
namespace {

using testing::Contains;
using testing::ElementsAre;

spec::Sweep sweep(int batch = 8) {
  spec::Sweep sweep;
  sweep.models = {{"alexnet", batch}};
  sweep.devices = {1, 2};
  sweep.threads_per_device = 1;
  return sweep;
}

// A contender whose every point has two launches of this speed for each device.
struct Results {
  explicit Results(const spec::Sweep& sweep, double speed = 100) : plan(spec::expand(sweep)) {
    for (const spec::Point& point : plan.points) {
      const Launch launch{.classes = 1001, .images_per_second = speed * point.devices};
      records.push_back({.launches = {launch, launch}});
    }
  }

  spec::Plan plan;
  std::vector<PointRecord> records;
  std::vector<RowSummary> rows = {};
};

// "0 d1: SAME"-like lines of what has been put beside each other.
std::vector<std::string> lines(std::initializer_list<Results> all) {
  std::vector<Results> results(all);
  std::vector<Contender> contenders;
  for (Results& one : results) {
    one.rows = summarise(one.plan, one.records);
    const std::string_view name = contenders.empty() ? "A" : "B";
    contenders.push_back({name, {one.plan, one.records}, one.rows});
  }
  std::vector<std::string> text;
  for (const SideBySideRow& row : side_by_side(contenders, 0.02)) {
    const spec::Plan& plan = results[row.contender].plan;
    const spec::Point& point = plan.points[plan.rows[row.row].point];
    std::string line =
        fmt::format("{} {} x{}:", contenders[row.contender].name, point.strategy, point.devices);
    if (row.with_first) line += fmt::format(" {:.2f}", row.with_first->ratio.value);
    if (!row.note.empty()) line += fmt::format(" {}", row.note);
    text.push_back(line);
  }
  return text;
}

TEST(SideBySide, PutsTheSameNumberOfDevicesTogetherAndLeavesLimitsOut) {
  EXPECT_THAT(lines({Results(sweep()), Results(sweep(), 150)}),
              ElementsAre("A replicated x1:", "B replicated x1: 1.50",
                          "A replicated x2:", "B replicated x2: 1.50"));
}

TEST(SideBySide, ComparesAnotherStrategyWithTheOnlyOneThatThereIs) {
  spec::Sweep other = sweep();
  other.strategies = {"parameter_server"};
  EXPECT_THAT(lines({Results(sweep()), Results(other, 50)}),
              ElementsAre("A replicated x1:",
                          "B parameter_server x1: 0.50 strategy parameter_server vs replicated",
                          "A replicated x2:",
                          "B parameter_server x2: 0.50 strategy parameter_server vs replicated"));
}

TEST(SideBySide, ComparesWithTheSameStrategyWhereThereAreSeveral) {
  spec::Sweep several = sweep();
  several.devices = {1};
  several.strategies = {"parameter_server", "replicated"};
  spec::Sweep others = several;
  others.strategies = {"replicated", "horovod"};
  EXPECT_THAT(lines({Results(several), Results(others)}),
              ElementsAre("A parameter_server x1:", "A replicated x1:", "B replicated x1: 1.00",
                          "B horovod x1: A has several other strategies"));
}

TEST(SideBySide, SaysWhyTwoDoNotCompare) {
  const auto second_against = [](const Results& second) {
    spec::Sweep one = sweep();
    one.devices = {1};
    return lines({Results(one), second}).back();
  };
  spec::Sweep other = sweep();
  other.devices = {1};
  other.models = {{"lenet", 8}};
  EXPECT_EQ(second_against(Results(other)), "B replicated x1: A has another network");
  other.models = {{"alexnet", 16}};
  EXPECT_EQ(second_against(Results(other)), "B replicated x1: A has a batch of 8, not 16");
  other = sweep();
  other.devices = {2};
  EXPECT_EQ(second_against(Results(other)), "B replicated x2: A has no point with 2 devices");
  other.devices = {1};
  other.scaling = {spec::Scaling::strong};
  EXPECT_EQ(second_against(Results(other)), "B replicated x1: A has no strong scaling");

  Results classes(sweep());
  for (auto& record : classes.records) record.launches[0]->classes = 10;
  EXPECT_EQ(lines({Results(sweep()), classes}).back(),
            "B replicated x2: not comparable: classes 10 vs 1001");
}

TEST(SideBySide, ComparesOtherDevicesOnlyBetweenMachinesOfOtherSizes) {
  spec::Sweep wide = sweep();
  wide.threads_per_device = 4;
  EXPECT_EQ(lines({Results(sweep()), Results(wide)}).back(),
            "B replicated x2: not comparable: threads per device 4 vs 1");
  const auto on_machine = [](Results results, int processors) {
    for (auto& record : results.records) record.launches[0]->processors = processors;
    return results;
  };
  EXPECT_EQ(lines({on_machine(Results(sweep()), 2), on_machine(Results(wide), 8)}).back(),
            "B replicated x2: 1.00 processors of the machine 8 vs 2; threads per device 4 vs 1");
  EXPECT_EQ(lines({on_machine(Results(sweep()), 8), on_machine(Results(wide), 8)}).back(),
            "B replicated x2: not comparable: threads per device 4 vs 1");
}

TEST(SideBySide, ComparesWhatIsMarkedButNotWhatFailed) {
  spec::Sweep from_two = sweep();
  from_two.devices = {2, 4};
  EXPECT_THAT(lines({Results(sweep()), Results(from_two)}),
              Contains("B replicated x2: 1.00 its speed-up refers to 2 devices, not 1"));

  Results failed(sweep());
  for (auto& record : failed.records) record.failure = "out of memory";
  EXPECT_EQ(lines({failed, Results(sweep())}).back(),
            "B replicated x2: failed in A: out of memory");
  EXPECT_EQ(lines({Results(sweep()), failed}).back(), "B replicated x2:");
}

}  // namespace
}  // namespace lockstep::stats
