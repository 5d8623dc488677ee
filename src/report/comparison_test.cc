#include "report/comparison.h"

#include <gmock/gmock.h>

#include "base/text.h"
#include "tests/golden.h"

namespace lockstep::report {
namespace {

using testing::HasSubstr;
using testing::Not;

spec::Sweep sweep(const std::string& model = "resnet50") {
  spec::Sweep sweep;
  sweep.models = {{model, 16}};
  sweep.devices = {1, 2, 4};
  sweep.ceiling = false;
  sweep.threads_per_device = 2;
  return sweep;
}

// Two launches of the same speed for each point: speed-ups are those of the speeds.
result::SweepResults results(const std::string& id, const spec::Sweep& sweep,
                             const std::vector<double>& speeds) {
  result::SweepResults report{.id = id,
                              .machine = "lockstep 0.1.0 on host07, 4 cores.",
                              .plan = spec::expand(sweep),
                              .records = {},
                              .rows = {}};
  for (const double speed : speeds) {
    const stats::Launch launch{
        .date = "2026-01-02T03:04:05Z", .classes = 1001, .images_per_second = speed};
    report.records.push_back({.launches = {launch, launch}});
  }
  report.rows = stats::summarise(report.plan, report.records);
  return report;
}

struct Drawn {
  std::string table, graph;
};
Drawn drawn(const std::vector<result::SweepResults>& reports) {
  std::vector<stats::Contender> contenders;
  for (const result::SweepResults& report : reports) {
    contenders.push_back({report.id, {report.plan, report.records}, report.rows});
  }
  const auto rows = stats::side_by_side(contenders, 0.02);
  const Comparison comparison{reports, rows, 0.02};
  return {comparison_table(comparison), comparison_graph(comparison)};
}

// The second machine is twice as fast; its largest point failed. The third has another batch.
std::vector<result::SweepResults> three() {
  spec::Sweep other_batch = sweep();
  other_batch.models = {{"resnet50", 32}};
  other_batch.strategies = {"parameter_server"};
  std::vector<result::SweepResults> reports = {results("old", sweep(), {16, 32, 64}),
                                               results("new", sweep(), {32, 64, 128}),
                                               results("wide", other_batch, {64, 64, 128})};
  reports[1].records[2].failure = "rank 1 on host07: out of memory";
  reports[1].rows = stats::summarise(reports[1].plan, reports[1].records);
  return reports;
}

TEST(ComparisonTable, IsTheCommittedOne) {
  expect_golden("src/report/golden/comparison_table.txt", drawn(three()).table);
}

TEST(ComparisonGraph, RefersToTheBaselineOfTheTable) {
  spec::Sweep both = sweep();
  both.devices = {1, 2};
  both.strategies = {"replicated", "parameter_server"};
  const result::SweepResults report = results("both", both, {100, 80, 150, 160});
  const auto [table, graph] = drawn({report, results("other", sweep(), {100, 200, 400})});
  EXPECT_THAT(table, HasSubstr(" 1.60 "));  // 160 / 100, for they do the same work on one device
  EXPECT_THAT(graph, HasSubstr("parameter_server, batch 16: 100.00 images/s on 1 device"));
  EXPECT_THAT(graph, HasSubstr("Speedup: 1.60, Images/Sec: 160.00"));
  EXPECT_THAT(graph, HasSubstr("Speedup: 0.80, Images/Sec: 80.00"));
}

TEST(ComparisonTable, FitsATerminalAndKeepsTheVerdict) {
  const std::vector<result::SweepResults> reports = three();
  std::vector<stats::Contender> contenders;
  for (const result::SweepResults& report : reports) {
    contenders.push_back({report.id, {report.plan, report.records}, report.rows});
  }
  const auto rows = stats::side_by_side(contenders, 0.02);
  const auto lines = split(comparison_table({reports, rows, 0.02}, 80), '\n');
  for (std::size_t i = 0; i < 2 + rows.size(); ++i) EXPECT_LE(lines.at(i).size(), 80) << lines[i];
  EXPECT_THAT(lines.at(3), HasSubstr("FASTER"));
}

TEST(ComparisonGraph, IsTheCommittedOne) {
  expect_golden("src/report/golden/compared_results.svg", drawn(three()).graph);
}

TEST(ComparisonGraph, DoesNotMixScalings) {
  spec::Sweep strong = sweep();
  strong.scaling = {spec::Scaling::strong};
  const std::string graph =
      drawn({results("weak", sweep(), {1, 2, 4}), results("strong", strong, {1, 2, 3})}).graph;
  EXPECT_THAT(graph, HasSubstr("resnet50 on weak, replicated"));
  EXPECT_THAT(graph, Not(HasSubstr("on strong")));
  EXPECT_THAT(graph, HasSubstr("Not drawn: 3 points of another scaling."));
}

TEST(ComparisonGraph, EscapesAndCutsHostileNames) {
  const std::string name = "<script>&\x1b\xff" + std::string(300, 'x');
  const auto [table, graph] =
      drawn({results(name, sweep(name), {1, 2, 4}), results("b", sweep(), {1, 2, 4})});
  EXPECT_THAT(graph, Not(HasSubstr("<script>")));
  EXPECT_THAT(graph, Not(HasSubstr(std::string(100, 'x'))));
  EXPECT_THAT(table, Not(HasSubstr("\x1b")));
  EXPECT_THAT(table, Not(HasSubstr("\xff")));
}

}  // namespace
}  // namespace lockstep::report
