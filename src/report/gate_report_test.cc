#include "report/gate_report.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "tests/golden.h"

namespace lockstep::report {
namespace {

using testing::HasSubstr;
using testing::Not;

stats::PointRecord measured(std::initializer_list<double> speeds) {
  stats::PointRecord record;
  for (const double speed : speeds) {
    record.launches.emplace_back(stats::Launch{.images_per_second = speed});
  }
  return record;
}

spec::Plan plan(const std::string& model, std::vector<int> devices) {
  spec::Sweep sweep;
  sweep.models = {{model, 16}};
  sweep.devices = std::move(devices);
  sweep.ceiling = false;
  return spec::expand(sweep);
}

// One point of every kind.
GateReport report() {
  const spec::Plan before = plan("resnet50", {1, 2, 4, 8, 16});
  const spec::Plan now = plan("resnet50", {1, 2, 4, 8, 32});
  const std::vector<stats::PointRecord> baseline = {measured({32, 32}), measured({64, 64}),
                                                    measured({128, 128}), measured({256, 256}),
                                                    measured({512, 512})};
  const std::vector<stats::PointRecord> candidate = {measured({64, 64}),
                                                     measured({64, 64}),
                                                     measured({64, 64}),
                                                     {.failure = "rank 1 on host07: out of memory"},
                                                     measured({1024})};
  GateReport report{.baseline = "main",
                    .candidate = "change",
                    .baseline_machine = "lockstep 0.1.0 on host07, 4 cores.",
                    .candidate_machine = "lockstep 0.2.0 on host07, 4 cores.",
                    .min_effect = 0.02,
                    .gate = stats::gate({before, baseline}, {now, candidate}, 0.02),
                    .problems = {"change/points/x/1/run.json is left out"}};
  return report;
}

// A network whose name tries everything, and a failure that does, too.
GateReport hostile() {
  const std::string name =
      "<script>\"'&,:%0A::error::\n\x1b[31m\xff\xe2\x80\xae" + std::string(300, 'x');
  const spec::Plan both = plan(name, {1});
  const std::vector<stats::PointRecord> baseline = {measured({32, 32})};
  const std::vector<stats::PointRecord> candidate = {
      {.failure = "]]></failure>\n::error::\r\x1b[2J\xff"}};
  return {.baseline = name,
          .candidate = name,
          .baseline_machine = name,
          .candidate_machine = name,
          .min_effect = 0.02,
          .gate = stats::gate({both, baseline}, {both, candidate}, 0.02),
          .problems = {name}};
}

TEST(GateTable, IsTheCommittedOne) {
  expect_golden("src/report/golden/gate_table.txt", gate_table(report()));
}

TEST(GateTable, FitsATerminal) {
  const std::vector<std::string> lines = split(gate_table(report(), 64), '\n');
  EXPECT_THAT(lines.at(2), testing::StartsWith("verdict    model     strategy    devices"));
  for (const std::string& line : std::span(lines).subspan(2, 7)) EXPECT_LE(line.size(), 64) << line;
  EXPECT_THAT(lines.at(4), HasSubstr("2.000"));  // the ratio is never left out
}

TEST(GateJson, IsTheCommittedOne) {
  expect_golden("src/report/golden/gate.json", gate_json(report()) + '\n');
}

TEST(GateJunit, IsTheCommittedOne) {
  expect_golden("src/report/golden/gate_junit.xml", gate_junit(report()));
}

TEST(GateAnnotations, AreTheCommittedOnes) {
  expect_golden("src/report/golden/gate_annotations.txt", gate_annotations(report()));
}

TEST(GateTable, SaysThatNothingWasComparedOrDecided) {
  const spec::Plan both = plan("resnet50", {1});
  const auto last_line = [&](const stats::PointRecord& before, const stats::PointRecord& now) {
    GateReport one = report();
    one.gate = stats::gate({both, std::span(&before, 1)}, {both, std::span(&now, 1)}, 0.02);
    return split(gate_table(one), '\n').end()[-2];
  };
  EXPECT_EQ(last_line(measured({32}), {}), "nothing was compared: 1 UNDECIDED");
  EXPECT_EQ(last_line(measured({32}), measured({16})), "nothing was decided: 1 UNDECIDED");
  EXPECT_EQ(last_line(measured({32, 32}), measured({32, 32})), "no regression: 1 SAME");
}

TEST(GateTable, ObeysNoName) {
  const std::string table = gate_table(hostile());
  EXPECT_THAT(table, Not(HasSubstr("\x1b")));
  EXPECT_THAT(table, Not(HasSubstr("\xff")));
  EXPECT_THAT(table, Not(HasSubstr("\xe2\x80\xae")));
  EXPECT_THAT(table, Not(HasSubstr("\n::error")));
  for (const std::string& line : split(table, '\n')) EXPECT_LT(line.size(), 600) << line;
}

TEST(GateJson, OfHostileNamesIsJson) {
  const auto document = nlohmann::json::parse(gate_json(hostile()));
  EXPECT_TRUE(document.at("regression").get<bool>());
  EXPECT_THAT(document.at("points").at(0).at("model").get<std::string>(),
              testing::StartsWith("<script>\"'&,:%0A::error::\n\x1b[31m\xef\xbf\xbd"));
}

TEST(GateJunit, EscapesHostileNames) {
  const std::string xml = gate_junit(hostile());
  EXPECT_THAT(xml, Not(HasSubstr("<script>")));
  EXPECT_THAT(xml, Not(HasSubstr("\x1b")));
  EXPECT_THAT(xml, Not(HasSubstr("]]></failure>")));
  EXPECT_THAT(xml, HasSubstr("failed in the candidate: ]]&gt;&lt;/failure&gt;&#10;::error::&#13;"));
}

TEST(GateAnnotations, AreOneLineEachWhateverTheNames) {
  const std::string lines = gate_annotations(hostile());
  EXPECT_EQ(std::ranges::count(lines, '\n'), 1);
  EXPECT_THAT(lines, testing::StartsWith("::error title=FAILED %25"));  // the id's own %3c
  const std::string title = lines.substr(8, lines.find("::", 8) - 8);
  EXPECT_THAT(title, Not(HasSubstr(",")));
  EXPECT_THAT(title, Not(HasSubstr(":")));
}

}  // namespace
}  // namespace lockstep::report
