#include "report/sweep_report.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "base/text.h"
#include "report/report_for_test.h"
#include "report/svg.h"
#include "tests/golden.h"

namespace lockstep::report {
namespace {

using stats::PointRecord;
using testing::HasSubstr;
using testing::Not;

// Launches whose quotients are powers of two have estimates without a digit of the C library's.
stats::PointRecord measured(double speed, int launches = 3) {
  stats::PointRecord record;
  for (int i = 0; i < launches; ++i) {
    stats::Launch launch;
    launch.date = fmt::format("2026-01-02T03:04:0{}Z", i);
    launch.dataset = "imagenet";
    launch.images_per_second = speed * (1 + 0.01 * i);
    launch.steps_measured = 10;
    launch.steps_warmup = 3;
    launch.step_ms_mean = 250;
    launch.step_ms_median = 245;
    launch.step_ms_p95 = 260;
    launch.step_ms_p99 = 270;
    launch.forward_ms = 80;
    launch.backward_ms = 120;
    launch.exchange_ms = 30;
    launch.waiting_ms = 10;
    launch.update_ms = 15;
    launch.other_ms = 5;
    launch.gflops = 64;
    launch.mfu_pct = 50;
    launch.rss_peak_bytes = 1 << 20;
    launch.stable = true;
    record.launches.emplace_back(std::move(launch));
  }
  return record;
}

stats::PointRecord failed(const std::string& cause) {
  return {.launches = {std::nullopt}, .failure = cause};
}

// Two networks, two strategies, up to four devices; one point failed, one was not reached.
SweepReport report() {
  spec::Sweep sweep;
  sweep.models = {{"mobilenet", 16}, {"alexnet", 8}};
  sweep.devices = {1, 2, 4};
  sweep.strategies = {"parameter_server", "replicated"};
  sweep.threads_per_device = 1;
  stats::PointRecord noisy = measured(31);
  noisy.launches[1]->images_per_second = 34;
  noisy.launches[0]->warnings = {"the speed is not stable", "5 steps, \"cut\""};
  noisy.launches[0]->stable = false;
  return report_of(sweep,
                   {measured(16), measured(16.1), measured(30), noisy, measured(32.2), measured(52),
                    measured(56), measured(64.5),  //
                    measured(100), measured(100), measured(95), measured(120, 1), measured(190),
                    failed("rank 1 on host07: out of memory"), PointRecord(), measured(380)});
}

TEST(SweepTable, IsTheCommittedOne) {
  expect_golden("src/report/golden/sweep_table.txt", sweep_table(report()));
}

TEST(ResultsCsv, IsTheCommittedOne) {
  expect_golden("src/report/golden/results.csv", results_csv(report()));
}

TEST(ThroughputSvg, IsTheCommittedOne) {
  expect_golden("src/report/golden/throughput.svg", throughput_svg(report()));
}

TEST(ResultsCsv, NotesWhatTheMachineWasWarnedOfBesideEveryFigure) {
  SweepReport warned = report();
  warned.warnings = {"the disk is nearly full", "the speed is not stable"};
  const std::string text = results_csv(warned);
  EXPECT_THAT(text, HasSubstr(",measured,the disk is nearly full; the speed is not stable\n"));
  EXPECT_THAT(text, HasSubstr("\"the disk is nearly full; the speed is not stable; 5 steps, "));
  EXPECT_THAT(text, HasSubstr(",not_measured,\n"));
}

TEST(ResultsCsv, HasAsManyFieldsInEveryLine) {
  const std::vector<std::string> lines = split(results_csv(report()), '\n');
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
  const std::string table = sweep_table(report());
  EXPECT_THAT(table,
              HasSubstr("failed: alexnet-b8-d4-parameter_server: rank 1 on host07: out of memory"));
  EXPECT_THAT(table, HasSubstr("not measured"));
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

}  // namespace
}  // namespace lockstep::report
