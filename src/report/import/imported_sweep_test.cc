#include "report/import/imported_sweep.h"

#include <gmock/gmock.h>

#include "base/error_for_test.h"
#include "spec/sweep_flags.h"

namespace lockstep::report {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

ImportedRun run_on(int devices, const std::string& strategy = "horovod") {
  return {.format = "test",
          .framework = "Other 1.0",
          .files = {"a.log"},
          .line = 1,
          .setup = {.model = "net", .strategy = strategy, .batch_size = 8, .devices = devices},
          .images_per_second = 10.0 * devices,
          .figure = {}};
}

std::string refusal_of_sweep(const std::vector<ImportedRun>& runs) {
  return error_of([&] { sweep_of(runs); }).what();
}

TEST(ImportedSweep, HasAPointForEachConfigurationAndALaunchForEachRun) {
  const std::vector<ImportedRun> runs = {run_on(4), run_on(1), run_on(4), run_on(4, "independent")};
  const ImportedSweep imported = sweep_of(runs);
  std::vector<std::string> launches;
  for (const auto& [point, round] : imported.places) {
    launches.push_back(fmt::format("{}/{}", imported.plan.points[point].id, round + 1));
  }
  EXPECT_THAT(launches, ElementsAre("net-b8-d4-horovod/1", "net-b8-d1-horovod/1",
                                    "net-b8-d4-horovod/2", "net-b8-d4-independent/1"));
  EXPECT_EQ(imported.sweep.repeats, 2);
}

TEST(ImportedSweep, TellsLayoutsApartWhereThereAreSeveral) {
  std::vector<ImportedRun> runs = {run_on(1), run_on(1)};
  runs[0].setup.data_format = runs[1].setup.data_format = "NCHW";
  EXPECT_EQ(sweep_of(runs).plan.points.size(), 1);
  EXPECT_EQ(sweep_of(runs).plan.points[0].data_format, "auto");
  runs[1].setup.data_format = "NHWC";
  const ImportedSweep imported = sweep_of(runs);
  EXPECT_EQ(imported.plan.points[imported.places[1].point].data_format, "NHWC");
}

TEST(ImportedSweep, IsReadBackFromItsFile) {
  const spec::Sweep sweep = sweep_of(std::vector{run_on(1), run_on(3)}).sweep;
  const auto read = [&](const std::string&) { return spec::to_json(sweep); };
  const auto nothing = [](const char*) -> const char* { return nullptr; };
  const std::vector<std::string> arguments = {"--spec=sweep.json"};
  EXPECT_EQ(spec::parse_sweep(arguments, nothing, {}, read).sweep, sweep);
}

// Figures of different things would pass for the scatter of one.
TEST(ImportedSweep, RefusesLaunchesThatDiffer) {
  std::vector<ImportedRun> runs = {run_on(1), run_on(1)};
  runs[1].files = {"b.log"};
  runs[1].header = {{"Dataset", "imagenet"}};
  EXPECT_EQ(refusal_of_sweep(runs),
            "a.log:1 and b.log:1 are launches of one point, but for their Dataset: '' and "
            "'imagenet'");
  runs[1].header = {{"Num batches", "50"}};
  EXPECT_EQ(refusal_of_sweep(runs), "nothing thrown");
}

TEST(ImportedSweep, RefusesNamesThatNoSweepCanHave) {
  std::vector<ImportedRun> runs = {run_on(1)};
  runs[0].setup.model = "two words";
  EXPECT_THAT(refusal_of_sweep(runs), HasSubstr("a.log:1: 'two words' is no name of a model"));
  runs[0].setup.model = std::string(300, 'x');
  EXPECT_THAT(refusal_of_sweep(runs), HasSubstr("is no name of a model"));
  EXPECT_THAT(refusal_of_sweep({run_on(1, "telepathy")}), HasSubstr("'telepathy' is no way"));
}

// A sweep has every combination of what it names, whether it was measured or not.
TEST(ImportedSweep, RefusesRunsThatHaveTooLittleInCommon) {
  std::vector<ImportedRun> runs;
  for (int i = 1; i <= 100; ++i) {
    runs.push_back(run_on(i));
    runs.back().setup.model = fmt::format("net{}", i);
  }
  EXPECT_EQ(refusal_of_sweep(runs),
            "these 100 runs are of 100 networks on 100 numbers of devices: as a "
            "sweep that would be 10000 points");
}

}  // namespace
}  // namespace lockstep::report
