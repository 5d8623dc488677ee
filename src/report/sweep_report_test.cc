#include "report/sweep_report.h"

#include <gmock/gmock.h>

#include <regex>
#include <set>

#include "base/text.h"
#include "report/report_for_test.h"
#include "report/svg.h"
#include "tests/golden.h"

namespace lockstep::report {
namespace {

using stats::PointRecord;
using testing::HasSubstr;
using testing::Not;

std::vector<result::SweepResults> reports() {
  return {example_report()};
}

TEST(SweepTable, IsTheCommittedOne) {
  expect_golden("src/report/golden/sweep_table.txt", sweep_table(example_report()));
}

TEST(ResultsCsv, IsTheCommittedOne) {
  expect_golden("src/report/golden/results.csv", results_csv(reports()));
}

TEST(ThroughputSvg, IsTheCommittedOne) {
  expect_golden("src/report/golden/throughput.svg", throughput_svg(example_report()));
}

TEST(ResultsCsv, NotesWhatTheMachineWasWarnedOfBesideEveryFigure) {
  result::SweepResults warned = example_report();
  warned.warnings = {"the disk is nearly full", "the speed is not stable"};
  const std::string text = results_csv({&warned, 1});
  EXPECT_THAT(text, HasSubstr(",measured,the disk is nearly full; the speed is not stable\n"));
  EXPECT_THAT(text, HasSubstr("\"the disk is nearly full; the speed is not stable; 5 steps, "));
  EXPECT_THAT(text, HasSubstr(",not_measured,\n"));
}

TEST(ResultsCsv, HasNoFormulas) {
  spec::Sweep sweep;
  sweep.models = {{"=cmd|' /C calc'!A0", 4}};
  sweep.devices = {1};
  sweep.strategies = {"@SUM(1)"};
  result::SweepResults report = report_of(sweep, {failed("-1+2, and +3")});
  report.id = "+run";
  for (const std::string& csv : {results_csv({&report, 1}), summary_csv({&report, 1})}) {
    EXPECT_THAT(csv, HasSubstr(",'=cmd|' /C calc'!A0,"));
    EXPECT_THAT(csv, HasSubstr("'+run,"));
    EXPECT_THAT(csv, HasSubstr(",'@SUM(1),"));
    EXPECT_THAT(csv, Not(HasSubstr(",=")));
    EXPECT_THAT(csv, Not(HasSubstr(",@")));
  }
  EXPECT_THAT(results_csv({&report, 1}), HasSubstr(",\"'-1+2, and +3\"\n"));
}

TEST(ResultsCsv, LeavesNegativeNumbersAlone) {
  spec::Sweep sweep;
  sweep.models = {{"net", 8}};
  sweep.devices = {1};
  sweep.inputs = {spec::InputKind::synthetic, spec::InputKind::real};
  const result::SweepResults report = report_of(sweep, {measured(48), measured(60)});
  EXPECT_THAT(results_csv({&report, 1}), HasSubstr(",-0.25,-0.25,-0.25,"));
}

TEST(SummaryCsv, IsNarrow) {
  const result::SweepResults report = example_report();
  const std::vector<std::string> lines = split(summary_csv({&report, 1}), '\n');
  EXPECT_EQ(lines[0],
            "run_id,model,scaling,batch_per_device,configuration,devices,launches,images_per_s,"
            "images_per_s_ci95_lo,images_per_s_ci95_hi,speedup,efficiency,of_independent,best,"
            "status");
  EXPECT_EQ(lines.size(), report.rows.size() + 2);
  EXPECT_EQ(lines[3],
            "sweep-1,mobilenet,weak,16,parameter_server,2,3,30.299,29.5629,31.0535,1.875,"
            "0.9375,0.931677,0,measured");
  EXPECT_EQ(lines[14], "sweep-1,alexnet,weak,8,parameter_server,4,0,,,,,,,0,failed");
}

TEST(ResultsCsv, HasAsManyFieldsInEveryLine) {
  const std::vector<std::string> lines = split(results_csv(reports()), '\n');
  const auto commas = std::ranges::count(lines[0], ',');
  for (std::size_t i = 1; i + 1 < lines.size(); ++i) {
    bool quoted = false;
    std::ptrdiff_t fields = 0;
    for (const char c : lines[i]) {
      if (c == '"') quoted = !quoted;
      if (c == ',' && !quoted) ++fields;
    }
    EXPECT_EQ(fields, commas) << lines[i];
  }
}

TEST(SweepTable, SaysWhyAPointFailedAndNoNumberOfIt) {
  const std::string table = sweep_table(example_report());
  EXPECT_THAT(table,
              HasSubstr("failed: alexnet-b8-d4-parameter_server: rank 1 on host07: out of memory"));
  EXPECT_THAT(table, HasSubstr("not measured"));
}

std::size_t longest_line(const std::string& text) {
  std::size_t longest = 0;
  for (const std::string& line : split(text, '\n')) longest = std::max(longest, line.size());
  return longest;
}

TEST(SweepTable, FitsTheTerminalAndSaysWhatItLeavesOut) {
  const result::SweepResults report = example_report();
  EXPECT_GT(longest_line(sweep_table(report)), 120);
  for (const std::size_t width : {120, 100, 80, 64}) {
    const std::string table = sweep_table(report, width);
    EXPECT_LE(longest_line(table), width) << table;
    EXPECT_THAT(table, HasSubstr("left out in this narrow terminal:")) << width;
    for (const char* needed : {"images/s", "devices", "efficiency", "host07"}) {
      EXPECT_THAT(table, HasSubstr(needed)) << width;
    }
  }
  EXPECT_THAT(sweep_table(report, 100), HasSubstr("speed-up"));
  EXPECT_THAT(sweep_table(report, 120),
              HasSubstr("left out in this narrow terminal: 95 % of efficiency"));
}

// Points: 1, 2 and, without exchange, 2 devices.
result::SweepResults beside_its_limit(PointRecord point, PointRecord limit) {
  spec::Sweep sweep;
  sweep.models = {{"lenet", 4}};
  sweep.devices = {1, 2};
  return report_of(sweep, {measured(50), std::move(point), std::move(limit)});
}

TEST(SweepTable, SaysWhyAPointIsAboveItsLimit) {
  PointRecord noisy = measured(100);
  noisy.launches[1]->images_per_second = 130;
  const std::string chance = sweep_table(beside_its_limit(noisy, measured(100)));
  EXPECT_THAT(chance, HasSubstr(" ^108.8 %\n"));
  EXPECT_THAT(chance, HasSubstr("\n^: above the speed of independent devices by no more than"));
  EXPECT_THAT(chance, HasSubstr("95 %: intervals over"));
  const std::string narrow = sweep_table(beside_its_limit(noisy, measured(100)), 64);
  EXPECT_THAT(narrow, Not(HasSubstr("^: ")));  // neither column is there
  EXPECT_THAT(narrow, Not(HasSubstr("95 %: intervals over")));
  const std::string above = sweep_table(beside_its_limit(measured(110), measured(100)));
  EXPECT_THAT(above, HasSubstr(" !110.0 %\n"));
  EXPECT_THAT(above, HasSubstr("\n!: above the speed of independent devices by more than"));
  const std::string once = sweep_table(beside_its_limit(measured(110, 1), measured(100, 1)));
  EXPECT_THAT(once, HasSubstr(" ?110.0 %\n"));
  const std::string below = sweep_table(beside_its_limit(measured(99), measured(100)));
  EXPECT_THAT(below, HasSubstr("  99.0 %\n"));
  EXPECT_THAT(below, Not(HasSubstr("above the speed")));
}

TEST(SweepTable, SaysThatRoundsAreIncomplete) {
  PointRecord interrupted = measured(90);
  interrupted.launches[2].reset();
  EXPECT_THAT(sweep_table(beside_its_limit(interrupted, measured(100))),
              HasSubstr("some rounds are incomplete"));
  EXPECT_THAT(sweep_table(beside_its_limit(measured(90), measured(100))),
              Not(HasSubstr("incomplete")));
}

TEST(SweepTable, SaysWhereTheBaselineHasSeveralDevices) {
  spec::Sweep sweep;
  sweep.models = {{"lenet", 4}};
  sweep.devices = {4, 8};
  sweep.ceiling = false;
  constexpr const char* kRemark =
      "lenet, batch 4: speed-ups and efficiencies refer to 4 devices, the fewest measured";
  EXPECT_THAT(sweep_table(report_of(sweep, {measured(50), measured(90)})), HasSubstr(kRemark));
  sweep.devices = {1, 8};
  EXPECT_THAT(sweep_table(report_of(sweep, {measured(50), measured(90)})),
              Not(HasSubstr("the fewest measured")));
}

TEST(SweepTable, ShowsNoIntervalOfOneLaunch) {
  spec::Sweep sweep;
  sweep.models = {{"lenet", 4}};
  sweep.devices = {1};
  const std::string table = sweep_table(report_of(sweep, {measured(50, 1)}));
  EXPECT_THAT(table, HasSubstr("one launch a point: no intervals"));
  EXPECT_THAT(table, HasSubstr("50.0     -      1.00"));
}

TEST(ThroughputSvg, EscapesHostileNames) {
  spec::Sweep sweep;
  sweep.models = {{"<script>&\"\x01\xff", 4}};
  sweep.devices = {1, 2};
  sweep.strategies = {"<b>"};
  const std::string svg = throughput_svg(
      report_of(sweep, {measured(1), failed("</svg><script>alert(1)</script>"), measured(2)}));
  EXPECT_THAT(svg, Not(HasSubstr("<script>")));
  EXPECT_THAT(svg, Not(HasSubstr("<b>")));
  EXPECT_THAT(svg, HasSubstr("&lt;script&gt;&amp;&quot;\xef\xbf\xbd\xef\xbf\xbd"));
}

TEST(ThroughputSvg, OfNothingSaysSo) {
  spec::Sweep sweep;
  sweep.models = {{"lenet", 4}};
  sweep.devices = {1};
  EXPECT_THAT(throughput_svg(report_of(sweep, {PointRecord()})), HasSubstr("nothing was measured"));
}

TEST(ThroughputSvg, HasShortNumbersBesideItsAxis) {
  spec::Sweep sweep;
  sweep.models = {{"lenet", 4}};
  sweep.devices = {1, 2};
  sweep.ceiling = false;
  const std::string svg = throughput_svg(report_of(sweep, {measured(9000), measured(18000)}));
  EXPECT_THAT(svg, HasSubstr(">9000</text>"));
  EXPECT_THAT(svg, HasSubstr(">10k</text>"));
  EXPECT_THAT(svg, Not(HasSubstr("e+")));
}

TEST(ThroughputSvg, NamesTheLastNumberOfDevicesWhereThereIsRoomForOne) {
  spec::Sweep sweep;
  sweep.models = {{"lenet", 4}};
  sweep.devices = {1, 9, 10};
  sweep.ceiling = false;
  const std::string svg =
      throughput_svg(report_of(sweep, {measured(1), measured(9), measured(10)}));
  EXPECT_THAT(svg, HasSubstr("text-anchor=\"middle\">10</text>"));
  EXPECT_THAT(svg, Not(HasSubstr("text-anchor=\"middle\">9</text>")));
}

// "<line x1=" of the lines that go straight up: those of the grid, then those of intervals.
TEST(ThroughputSvg, StandsIntervalsOfAsManyDevicesSideBySide) {
  spec::Sweep sweep;
  sweep.models = {{"lenet", 4}};
  sweep.devices = {1, 2};
  sweep.strategies = {"parameter_server", "replicated"};
  sweep.ceiling = false;
  const std::string svg =
      throughput_svg(report_of(sweep, {measured(8), measured(8), measured(16), measured(16)}));
  std::multiset<std::string> upright;
  for (const std::string& line : split(svg, '\n')) {
    std::smatch ends;
    const std::regex pattern("<line x1=\"([^\"]+)\" y1=\"[^\"]+\" x2=\"([^\"]+)\" .*1\\.2\"/>");
    if (std::regex_match(line, ends, pattern) && ends[1] == ends[2]) upright.insert(ends[1]);
  }
  EXPECT_THAT(upright, testing::ElementsAre("317", "323", "83", "89"));
}

TEST(XmlEscaped, KeepsWhatXmlCanSay) {
  EXPECT_EQ(xml_escaped("a\tb \xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"),
            "a\tb \xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80");
  EXPECT_EQ(xml_escaped(std::string_view("\0", 1)), "\xef\xbf\xbd");
  EXPECT_EQ(xml_escaped("\xc3"), "\xef\xbf\xbd");                       // cut off
  EXPECT_EQ(xml_escaped("\xed\xa0\x80").substr(0, 3), "\xef\xbf\xbd");  // half of a pair
}

TEST(LogarithmicTicks, AreRoundAndNotTooMany) {
  EXPECT_THAT(logarithmic_ticks(1, 1000, 5), testing::ElementsAre(1, 10, 100, 1000));
  EXPECT_THAT(logarithmic_ticks(0.9, 11, 4), testing::ElementsAre(1, 2, 5, 10));
  EXPECT_THAT(logarithmic_ticks(32, 41, 8), testing::ElementsAre(35, 40));
  EXPECT_LE(logarithmic_ticks(1e-3, 1e6, 6).size(), 10);
}

TEST(ResultsCsv, LeavesEmptyWhatIsNotKnownOfAnImportedLaunch) {
  spec::Sweep sweep;
  sweep.models = {{"net", 8}};
  sweep.devices = {1};
  stats::Launch launch;
  launch.program = "TensorFlow 2.14";
  launch.imported = true;
  launch.images_per_second = 64;
  const result::SweepResults report = report_of(sweep, {{.launches = {launch}}});
  const std::string csv = results_csv({&report, 1});
  EXPECT_THAT(csv,
              HasSubstr("\nlockstep-results-1,sweep-1,,TensorFlow 2.14,net-b8-d1-replicated,"
                        "net,,,replicated,,,0,auto,,weak,1,,,,8,8,1,1,net-b8-d1-replicated,,,64,"));
  EXPECT_THAT(csv, Not(HasSubstr(",0,0,")));
}

TEST(SweepTable, HasColumnsForWhatImagesCostWhereInputsAreCompared) {
  spec::Sweep sweep;
  sweep.models = {{"net", 8}};
  sweep.devices = {1};
  EXPECT_THAT(sweep_table(report_of(sweep, {measured(64)})), Not(HasSubstr("I/O overhead")));
  sweep.inputs = {spec::InputKind::synthetic, spec::InputKind::real};
  const result::SweepResults report = report_of(sweep, {measured(64), measured(48)});
  const std::string table = sweep_table(report);
  EXPECT_THAT(table, HasSubstr("I/O overhead           95 %\n"));
  EXPECT_THAT(table, HasSubstr("replicated, synthetic "));
  EXPECT_THAT(table, HasSubstr("25.0 %  25.0 - 25.0 %\n"));
  const std::string csv = results_csv({&report, 1});
  EXPECT_THAT(csv, HasSubstr(",auto,real,weak,"));
  EXPECT_THAT(csv, HasSubstr(",0.25,0.25,0.25,"));
}

TEST(SweepTable, HasColumnsForWhatSomePointsTellOfEnergyAndCost) {
  spec::Sweep sweep;
  sweep.models = {{"net", 8}};
  sweep.devices = {1, 2};
  sweep.ceiling = false;
  std::vector<PointRecord> records = {measured(32, 2), measured(64, 2)};
  EXPECT_THAT(sweep_table(report_of(sweep, records)), Not(HasSubstr("J/image")));
  records[0].launches[0]->joules_per_image = 1;
  records[0].launches[1]->joules_per_image = 2;
  records[1].launches[0]->joules_per_image = 1;  // the other one does not tell
  const std::string table = sweep_table(report_of(sweep, records));
  EXPECT_THAT(table, HasSubstr("J/image\n"));
  EXPECT_THAT(table, HasSubstr("      1.5\n"));
  EXPECT_THAT(table, HasSubstr("not available\n"));
  const result::SweepResults report = report_of(sweep, records);
  EXPECT_THAT(results_csv({&report, 1}), HasSubstr(",64,50,,1.5,,,1048576,1,"));
  EXPECT_THAT(results_csv({&report, 1}), HasSubstr(",64,50,,,,,1048576,1,"));
}

}  // namespace
}  // namespace lockstep::report
