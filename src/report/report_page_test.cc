#include "report/report_page.h"

#include <gmock/gmock.h>

#include "base/text.h"
#include "report/notebook.h"
#include "report/report_for_test.h"
#include "tests/golden.h"

namespace lockstep::report {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

const std::string kGolden = "src/report/golden/";

Evidence example() {
  return {.sweeps = {example_report()},
          .provenances = {{.options = {{"models", "[\"mobilenet:16\",\"alexnet:8\"]"},
                                       {"repeats", "3"}},
                           .environment = {{"host_name", "host07"}, {"cache.l2_bytes", "1048576"}},
                           .command = {"lockstep", "run", "--model=mobilenet"}}},
          .steps = {{.run = "sweep-1",
                     .point = "mobilenet-b16-d2-replicated",
                     .title = "mobilenet",
                     .subtitle = "replicated, 2 devices, batch 16",
                     .configuration = "replicated",
                     .date = "2026-01-02T03:04:05Z",
                     .warmup = 2,
                     .cut = 1,
                     .ms = {4500, 300, 270, 250, 260, 245, 255, 800, 250}}},
          .collectives = {{.operation = "all_reduce",
                           .transport = "tcp",
                           .program = "lockstep",
                           .directory = "results/comm",
                           .ranks = 4,
                           .hosts = 2,
                           .rows = {{"ring", 1024, 0.25},
                                    {"tree", 1024, 0.5},
                                    {"ring", 1 << 20, 1.75},
                                    {"tree", 1 << 20, 1}}}},
          .problems = {"points/a/1/run.json is left out: cut off"}};
}

// The same with fewer points: what the pages of it show is shown once.
Evidence small_example() {
  spec::Sweep sweep;
  sweep.models = {{"alexnet", 8}};
  sweep.devices = {1, 2};
  sweep.threads_per_device = 1;
  Evidence evidence = example();
  evidence.sweeps = {report_of(sweep, {measured(100), measured(150), measured(190)})};
  return evidence;
}

TEST(Figures, AreTheCommittedOnes) {
  std::vector<std::string> names;
  for (const Figure& figure : figures(example())) {
    names.push_back(figure.name);
    expect_golden(kGolden + figure.name + ".svg", svg_file(figure,
                                                           "lockstep 0.1.0 on host07, 4 "
                                                           "cores."));
  }
  EXPECT_THAT(names, ElementsAre("throughput", "speed_up", "efficiency", "step_time", "waiting",
                                 "collectives", "steps"));
}

// Two configurations on two counts; with real images one is slower, one is not.
result::SweepResults inputs_report() {
  spec::Sweep sweep;
  sweep.models = {{"lenet", 4}};
  sweep.devices = {1, 2};
  sweep.strategies = {"replicated", "parameter_server"};
  sweep.inputs = {spec::InputKind::synthetic, spec::InputKind::cached, spec::InputKind::real};
  sweep.ceiling = false;
  std::vector<stats::PointRecord> records;
  const spec::Plan plan = spec::expand(sweep);
  for (const spec::Point& point : plan.points) {
    const double synthetic = 64 * point.devices;
    const double cost = point.input == spec::InputKind::real     ? 0.25 * point.devices
                        : point.input == spec::InputKind::cached ? -0.125
                                                                 : 0;
    records.push_back(measured(synthetic * (1 - cost)));
  }
  return report_of(sweep, std::move(records));
}

TEST(Figures, ShowWhatImagesCostWhereInputsAreCompared) {
  Evidence evidence;
  evidence.sweeps = {inputs_report()};
  const Figure overhead = io_overhead_figure(evidence.sweeps);
  ASSERT_EQ(overhead.panels.size(), 1);
  const std::string svg = svg_file(overhead, "lockstep 0.1.0 on host07, 4 cores.");
  expect_golden(kGolden + "io_overhead.svg", svg);
  // Where it stands in results.csv; below zero, too.
  EXPECT_THAT(svg, HasSubstr("data-column=\"io_overhead\" data-value=\"0.5\""));
  EXPECT_THAT(svg, HasSubstr("data-column=\"io_overhead\" data-value=\"-0.125\""));
  EXPECT_THAT(svg, HasSubstr(">parameter_server, real  50 %</text>"));
  EXPECT_THAT(report_page(evidence), HasSubstr("<figure id=\"io_overhead\""));
  EXPECT_THAT(report_markdown(evidence), HasSubstr("(io_overhead.svg)"));
  EXPECT_THAT(svg, Not(HasSubstr(">-0 %")));
  EXPECT_TRUE(io_overhead_figure(example().sweeps).panels.empty());
}

// An earlier report's figures are removed by these names.
TEST(Figures, AreAllNamed) {
  std::vector<Figure> all = figures(example());
  all.push_back(io_overhead_figure(std::vector{inputs_report()}));
  for (const Figure& figure : all) {
    EXPECT_EQ(std::ranges::count(kFigureNames, figure.name), 1) << figure.name;
  }
  EXPECT_EQ(all.size(), std::size(kFigureNames));
}

TEST(Figures, OfNothingAreNone) {
  spec::Sweep sweep;
  sweep.models = {{"lenet", 4}};
  sweep.devices = {1};
  Evidence evidence;
  evidence.sweeps = {report_of(sweep, {stats::PointRecord()})};
  std::vector<std::string> names;
  for (const Figure& figure : figures(evidence)) names.push_back(figure.name);
  EXPECT_THAT(names, ElementsAre("throughput"));  // which says so
  EXPECT_THAT(report_page(evidence), HasSubstr("Nothing was measured"));
}

TEST(Figures, RelativeToABaselineNeedMoreThanOneCount) {
  spec::Sweep sweep;
  sweep.models = {{"lenet", 4}};
  sweep.devices = {2};
  Evidence evidence;
  evidence.sweeps = {report_of(sweep, {measured(50)})};
  std::vector<std::string> names;
  for (const Figure& figure : figures(evidence)) names.push_back(figure.name);
  EXPECT_THAT(names, ElementsAre("throughput", "step_time", "waiting"));
  EXPECT_THAT(report_page(evidence), HasSubstr("Fewer devices were not measured"));
}

TEST(StepsFigure, ShowsTheRangeOfWhatSharesAColumn) {
  StepSeries series{.run = "",
                    .point = "",
                    .title = "lenet",
                    .subtitle = "",
                    .configuration = "",
                    .date = "",
                    .warmup = 0,
                    .cut = 0,
                    .ms = std::vector<double>(100'000, 10)};
  series.ms[50'000] = 20;
  const std::string svg = svg_file(steps_figure({&series, 1}), "");
  EXPECT_LT(svg.size(), 70'000);
  EXPECT_THAT(svg, HasSubstr(",10.91 "));  // 20 of a highest 22 ms, from the top of 120
}

StepSeries lenet_steps(std::int64_t warmup, std::vector<double> ms) {
  return {.run = "",
          .point = "",
          .title = "lenet",
          .subtitle = "",
          .configuration = "",
          .date = "",
          .warmup = warmup,
          .cut = 0,
          .ms = std::move(ms)};
}

// A line's points, from the top of the window.
std::vector<double> heights(const std::string& svg) {
  const std::size_t begin = svg.find("<polyline points=\"") + 18;
  std::vector<double> heights;
  for (const std::string& point : split(svg.substr(begin, svg.find('"', begin) - begin), ' ')) {
    heights.push_back(parse_double(split(point, ',').at(1)).value());
  }
  return heights;
}

TEST(StepsFigure, ShowsAWarmUpThatTakesFarLongerAboveABreak) {
  const StepSeries series = lenet_steps(2, {1000, 500, 10, 11, 10, 12});
  const Figure figure = steps_figure({&series, 1});
  const std::string svg = svg_file(figure, "");
  EXPECT_THAT(svg, HasSubstr(">1000</text>"));
  EXPECT_THAT(figure.caption, HasSubstr("Above a break"));
  const std::vector<double> line = heights(svg);
  ASSERT_EQ(line.size(), 6);
  for (const double y : line) EXPECT_GE(y, 0);
  EXPECT_LT(line[0], line[1]);
  EXPECT_LT(line[1], 28);  // above the break
  for (const std::size_t steady : {2, 3, 4, 5}) EXPECT_GT(line[steady], 36);
  EXPECT_GT(line[2] - line[5], 10);  // and what is steady can be told apart
}

TEST(StepsFigure, HasNoBreakWhereStepsAreAlike) {
  const StepSeries series = lenet_steps(1, {20, 10, 11, 10, 12});
  const Figure figure = steps_figure({&series, 1});
  EXPECT_THAT(figure.caption, Not(HasSubstr("break")));
  for (const double y : heights(svg_file(figure, ""))) EXPECT_GE(y, 0);
}

TEST(StepsFigure, HasAnAxisOfSeconds) {
  const StepSeries series = lenet_steps(1, {4000, 1000, 1000, 1000, 1000});
  const std::string svg = svg_file(steps_figure({&series, 1}), "");
  // Half of the first step has passed after 2 s: a tenth of the series.
  EXPECT_THAT(svg, HasSubstr("<g data-share=\"0.10000\" transform=\"translate(98.20 0)\">"));
  EXPECT_THAT(svg, HasSubstr(">8</text>"));
}

TEST(Figures, WrapTheirCaptions) {
  Figure figure{.name = "x", .title = "x", .caption = "", .size = {150, 100}, .panels = {}};
  figure.caption = "Whiskers are intervals over launches.";
  const std::string svg = svg_file(figure, "host07");
  EXPECT_THAT(svg, HasSubstr(">Whiskers are</text>"));
  EXPECT_THAT(svg, HasSubstr(">intervals over</text>"));
  EXPECT_THAT(svg, HasSubstr(">host07</text>"));
}

// Whiskers reach beyond the frame where launches differ too much.
TEST(ThroughputFigure, MarksWhiskersThatLeaveTheFrame) {
  spec::Sweep sweep;
  sweep.models = {{"lenet", 8}};
  sweep.devices = {1, 2};
  sweep.ceiling = false;
  stats::PointRecord wild = measured(100, 2);
  wild.launches[1]->images_per_second = 800;
  const auto figure_of = [&](const stats::PointRecord& second) {
    const result::SweepResults report = report_of(sweep, {measured(64), second});
    return throughput_figure({&report, 1});
  };
  const Figure cut = figure_of(wild);
  EXPECT_THAT(cut.caption, HasSubstr("Triangles at the edge: the interval goes beyond it."));
  EXPECT_THAT(svg_file(cut, ""), HasSubstr("class=\"cut-off\""));
  const Figure whole = figure_of(measured(128));
  EXPECT_THAT(whole.caption, Not(HasSubstr("Triangles")));
  EXPECT_THAT(svg_file(whole, ""), Not(HasSubstr("cut-off")));
}

TEST(ThroughputFigure, SaysThatItsAxesAreLogarithmicAndWhatIsNotStable) {
  const result::SweepResults report = example_report();
  const Figure figure = throughput_figure({&report, 1});
  EXPECT_THAT(figure.caption, HasSubstr("Pale: not stable."));
  const std::string svg = svg_file(figure, "");
  EXPECT_THAT(svg, HasSubstr(">images/s (log scale)</text>"));
  EXPECT_THAT(svg, HasSubstr(">devices (log scale)</text>"));
  EXPECT_THAT(svg_file(efficiency_figure({&report, 1}), ""), HasSubstr(">efficiency</text>"));
}

TEST(MinorTicks, AreEveryDigitOfEveryDecade) {
  EXPECT_THAT(minor_ticks(7, 30), ElementsAre(7, 8, 9, 10, 20, 30));
}

TEST(ReportMarkdown, IsTheCommittedOne) {
  expect_golden(kGolden + "report.md", report_markdown(small_example()));
}

TEST(Notebook, IsTheCommittedOne) {
  expect_golden(kGolden + "report.ipynb", notebook(small_example()));
}

TEST(ReportPage, IsTheCommittedOne) {
  expect_golden(kGolden + "report.html", report_page(small_example()));
}

TEST(ReportPage, SaysWhichChoicesAreNotToldApartFromTheFastest) {
  // Of the example: one that is noisy, one of a single launch.
  const std::string page = report_page(example());
  int count = 0;
  for (std::size_t at = 0; (at = page.find(">not told apart<", at)) != page.npos; ++at) ++count;
  EXPECT_EQ(count, 2);
  EXPECT_THAT(page, HasSubstr("<bdi>parameter_server</bdi> <span class=\"note\">"
                              "<bdi>replicated</bdi>: the same work</span>"));
  EXPECT_THAT(page, HasSubstr("<bdi>replicated</bdi> <span class=\"note\">or "
                              "<bdi>parameter_server</bdi>: <a"));
}

TEST(ReportPage, SaysOnceWhatManyPointsWereWarnedOf) {
  Evidence evidence = example();
  evidence.sweeps[0].records[0].launches[0]->warnings = {"the load is 3.5"};
  evidence.sweeps[0].records[1].launches[0]->warnings = {"the load is 4.25"};
  const std::vector<std::string> all = warnings(evidence);
  EXPECT_THAT(all,
              testing::Contains("mobilenet-b16-d1-parameter_server and 1 more point: the load is "
                                "3.5"));
  EXPECT_THAT(all, Not(testing::Contains(HasSubstr("4.25"))));
}

TEST(ReportPage, ShowsOfImportedLaunchesWhatIsKnownAlone) {
  spec::Sweep sweep;
  sweep.models = {{"net", 8}};
  sweep.devices = {1, 2};
  sweep.ceiling = false;
  stats::Launch launch;
  launch.imported = true;
  launch.images_per_second = 64;
  Evidence evidence;
  evidence.sweeps = {report_of(sweep, {{.launches = {launch}}, {.launches = {launch}}})};
  const std::string page = report_page(evidence);
  EXPECT_THAT(page, HasSubstr("data-column=\"efficiency\" data-value=\"0.5\""));
  EXPECT_THAT(page, Not(HasSubstr("data-value=\"0\"")));
  const std::string table = page.substr(page.find("class=\"sortable\""));
  EXPECT_THAT(table, Not(HasSubstr(">step, ms</a></th>")));
  EXPECT_THAT(table, Not(HasSubstr(">stable</a></th>")));
}

TEST(ReportPage, HasColumnsForWhatSomePointsTellOfEnergyAndCost) {
  Evidence evidence = small_example();
  EXPECT_THAT(report_page(evidence), Not(HasSubstr(">J/image</a></th>")));
  EXPECT_THAT(
      report_page(evidence),
      testing::ContainsRegex("Not available: [^.]*>J/image</a>, [^.]*>cost/10.6</a>[.]</p>"));
  for (auto& launch : evidence.sweeps[0].records[1].launches) {
    launch->joules_per_image = 1.5;
    launch->cost_per_million_images = 4;
  }
  const std::string page = report_page(evidence);
  EXPECT_THAT(page, HasSubstr("data-column=\"j_per_image\" data-value=\"1.5\">1.5<"));
  EXPECT_THAT(page, HasSubstr("data-column=\"cost_per_million_images\" data-value=\"4\">4<"));
}

// With made-up images and with real ones, which take a quarter of the speed.
TEST(ReportPage, TellsWhatRealImagesCost) {
  spec::Sweep sweep;
  sweep.models = {{"alexnet", 8}};
  sweep.devices = {1};
  sweep.inputs = {spec::InputKind::synthetic, spec::InputKind::real};
  Evidence evidence;
  evidence.sweeps = {report_of(sweep, {measured(64), measured(48)})};
  const std::string page = report_page(evidence);
  int count = 0;
  for (std::size_t at = 0; (at = page.find("data-column=\"io_overhead\"", at)) != page.npos; ++at) {
    ++count;
  }
  EXPECT_EQ(count, 4);  // beside what is lost, where the fastest are, drawn, among all results
  EXPECT_THAT(page, HasSubstr("data-value=\"0.25\" data-lo=\"0.25\" data-hi=\"0.25\">25.0 %<"));
  EXPECT_THAT(page, HasSubstr("<small><bdi>weak scaling, batch 8 per device, real images</bdi>"));
  EXPECT_THAT(page, HasSubstr("data-series=\"replicated\""));  // hidden and shown for all kinds
  EXPECT_THAT(report_markdown(evidence), HasSubstr("| 25.0 % (25.0 % - 25.0 %) |\n"));
}

TEST(ReportPage, SaysWhereItIsNotKnownWhatMostIsLostTo) {
  Evidence evidence = small_example();
  auto& launches = evidence.sweeps[0].records[1].launches;
  for (auto& launch : launches)
    launch->phase(record::Phase::exchange) = launch->waiting_ms =
        launch->phase(record::Phase::update) = 0;
  launches[0]->phase(record::Phase::input) = 100;
  evidence.sweeps[0].rows = stats::summarise(evidence.sweeps[0].plan, evidence.sweeps[0].records);
  for (auto& row : evidence.sweeps[0].rows) {
    if (row.losses) row.losses->contention.reset();
  }
  EXPECT_THAT(report_page(evidence), HasSubstr("<td>not known: launches differ (<a"));
}

// Whatever can be chosen by others, in all places where they can choose it.
TEST(ReportPage, IsNotImpressedByHostileNames) {
  const std::string hostile =
      "<script>alert(1)</script>\"' onload=x \n,|\xe2\x80\xae" + std::string(300, 'x');
  spec::Sweep sweep;
  sweep.models = {{hostile, 4}};
  sweep.devices = {1, 2};
  sweep.strategies = {hostile};
  stats::PointRecord warned = measured(2);
  warned.launches[0]->warnings = {hostile};
  warned.launches[0]->ranks = {{hostile, 1}, {hostile, 2}};
  Evidence evidence = example();
  evidence.sweeps = {report_of(sweep, {measured(1), warned, failed(hostile)})};
  evidence.sweeps[0].id = evidence.sweeps[0].machine = hostile;
  evidence.provenances[0] = {{{hostile, hostile}}, {{"cpu", hostile}}, {hostile}};
  evidence.steps[0].title = evidence.steps[0].configuration = hostile;
  evidence.collectives[0].operation = evidence.collectives[0].rows[0].algorithm = hostile;
  evidence.problems = {hostile};
  std::string page = report_page(evidence);
  EXPECT_EQ(page.find("<script>"), page.rfind("<script>"));
  EXPECT_THAT(page, Not(HasSubstr("\" onload")));
  EXPECT_THAT(page, Not(HasSubstr("\xe2\x80\xae\">")));
  for (const Figure& figure : figures(evidence)) {
    EXPECT_THAT(svg_file(figure, hostile), Not(HasSubstr("<script>"))) << figure.name;
  }
  EXPECT_THAT(report_markdown(evidence), Not(HasSubstr("<script>")));
}

TEST(ReportTex, EscapesWhateverItIsGiven) {
  spec::Sweep sweep;
  sweep.models = {{"a_b\\input{/etc/passwd}%$&#^~<>\xc3\xa9", 4}};
  sweep.devices = {1};
  const Evidence evidence{
      .sweeps = {report_of(sweep, {measured(50)})}, .provenances = {}, .steps = {}, .problems = {}};
  const std::string text = report_tex(evidence);
  EXPECT_THAT(text, HasSubstr("a\\_b\\textbackslash{}input\\{/etc/passwd\\}\\%\\$\\&\\#"
                              "\\textasciicircum{}\\textasciitilde{}{<}{>}? & weak & 4 & "
                              "replicated & 1 & 50.5 (49.3 to 51.8) & 1.00 & 100.0 \\% &  \\\\\n"));
  EXPECT_THAT(text, Not(HasSubstr("\\input")));
}

TEST(ReportTex, IsTheCommittedOne) {
  expect_golden("src/report/golden/report.tex", report_tex(example()));
}

TEST(Figures, NameTheDirectoryOfSteps) {
  Evidence evidence = example();
  const auto label = [&] { return figures(evidence).back().panels.front().label; };
  EXPECT_THAT(label(), Not(HasSubstr("sweep-1")));
  evidence.sweeps.push_back(evidence.sweeps.front());
  EXPECT_THAT(label(), HasSubstr(", sweep-1"));
}

TEST(Warnings, NameTheirDirectoriesAndAreMerged) {
  Evidence evidence = example();
  evidence.problems.clear();
  result::SweepResults monday = evidence.sweeps.front();
  for (stats::PointRecord& record : monday.records) {
    for (auto& launch : record.launches) {
      if (launch) launch->warnings = {"the load is 3"};
    }
    if (record.launches.empty()) record = measured(1);
    record.failure.clear();
  }
  for (auto& launch : monday.records.back().launches) launch->warnings.clear();
  monday.warnings = {"the disk is nearly full"};
  monday.id = "monday";
  result::SweepResults tuesday = monday;
  tuesday.id = "tuesday";
  evidence.sweeps = {monday};
  const std::vector<std::string> alone = warnings(evidence);
  EXPECT_THAT(alone, testing::Contains("the disk is nearly full"));
  EXPECT_THAT(alone, testing::Contains(testing::MatchesRegex(
                         "[^ ]+ and [0-9]+ more points, [0-9]+ times: the load is 3")));
  evidence.sweeps = {monday, tuesday};
  const std::vector<std::string> both = warnings(evidence);
  EXPECT_EQ(both.size(), alone.size());
  EXPECT_THAT(both, testing::Contains("monday, tuesday: the disk is nearly full"));
  EXPECT_THAT(both,
              testing::Contains(testing::MatchesRegex(
                  "monday, tuesday: [^ ]+ and [0-9]+ more points, [0-9]+ times: the load is 3")));
}

}  // namespace
}  // namespace lockstep::report
