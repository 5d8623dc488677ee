#include "report/result_directory.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/files.h"

namespace lockstep::report {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
namespace fs = std::filesystem;

const fs::path kGoldenDirectory = fs::path(LOCKSTEP_SOURCE_DIR) / "src/report/golden";

class AResultDirectory : public testing::Test {
 protected:
  AResultDirectory() {
    std::string pattern = (fs::temp_directory_path() / "resultsXXXXXX").string();
    path_ = fs::path(mkdtemp(pattern.data())) / "nightly";
    fs::create_directory(path_);
    sweep_.models = {{"lenet", 4}};
    sweep_.devices = {1, 2};
    sweep_.ceiling = false;
  }
  ~AResultDirectory() override { fs::remove_all(path_.parent_path()); }

  void put(const std::string& name, const std::string& text) {
    fs::create_directories((path_ / name).parent_path());
    write_file(path_ / name, text);
  }
  void put_sweep() { put("sweep.json", spec::to_json(sweep_)); }

  std::string refusal() {
    try {
      read_results(path_);
    } catch (const Error& error) {
      return fmt::format("{} {} | {}", static_cast<int>(error.code()), error.what(), error.hint());
    }
    return "none";
  }

  fs::path path_;
  spec::Sweep sweep_;
  const std::string run_ = read_file(kGoldenDirectory / "run.json");
  const std::string failed_ = read_file(kGoldenDirectory / "failed_run.json");
};

TEST_F(AResultDirectory, OfASweepHoldsItsLaunchesByRound) {
  put_sweep();
  put("points/lenet-b4-d1-replicated/1/run.json", run_);
  put("points/lenet-b4-d1-replicated/3/run.json", run_);
  put("points/lenet-b4-d1-replicated/4.running/run.json", run_);
  const auto [report, problems] = read_results(path_);
  EXPECT_EQ(report.id, "nightly");
  EXPECT_EQ(report.machine, "lockstep 0.1.0 on host07.");
  ASSERT_EQ(report.records.size(), 2);
  ASSERT_EQ(report.records[0].launches.size(), 3);
  EXPECT_FALSE(report.records[0].launches[1].has_value());
  EXPECT_EQ(report.rows[0].speed->launches, 2);
  EXPECT_EQ(status(report.records[1]), Status::not_measured);
  EXPECT_THAT(problems, IsEmpty());
}

TEST_F(AResultDirectory, OfARunIsASweepOfOnePoint) {
  put("run.json", run_);
  const auto [report, problems] = read_results(path_ / "");
  EXPECT_EQ(report.id, "nightly");
  ASSERT_EQ(report.plan.points.size(), 1);
  EXPECT_EQ(report.plan.points[0].id, "trivial-b32-d1-parameter_server");
  EXPECT_DOUBLE_EQ(report.rows[0].speed->value, 64);
}

TEST_F(AResultDirectory, SaysWhatFailed) {
  put("run.json", failed_);
  EXPECT_EQ(read_results(path_).report.records[0].failure,
            "the loss is not finite at step 12 (conv3)");
  put_sweep();
  put("points/lenet-b4-d1-replicated/1/run.json", run_);
  put("points/lenet-b4-d1-replicated/2.failed/run.json", failed_);
  put("points/lenet-b4-d2-replicated/1.failed/rank0.log", "killed\n");
  const auto [report, problems] = read_results(path_);
  EXPECT_EQ(report.records[0].failure, "the loss is not finite at step 12 (conv3)");
  EXPECT_EQ(
      report.records[1].failure,
      fmt::format("its logs are in {}/points/lenet-b4-d2-replicated/1.failed", path_.string()));
  EXPECT_FALSE(report.rows[0].speed.has_value());
}

TEST_F(AResultDirectory, LeavesOutWhatItCannotReadAndUsesTheRest) {
  put_sweep();
  const std::string point = "points/lenet-b4-d1-replicated/";
  auto future = nlohmann::json::parse(run_);
  future["schema"]["version"] = 2;
  put(point + "1/run.json", run_);
  put(point + "2/run.json", run_.substr(0, 700));
  put(point + "3/run.json", future.dump());
  put(point + "4/run.json", "\x1b[31m\xff");
  put(point + "5/rank0.log", "");
  const auto [report, problems] = read_results(path_);
  EXPECT_EQ(report.rows[0].speed->launches, 1);
  const std::string expected = "; expected a whole run.json of version 1";
  const std::string file = (path_ / point).string();
  EXPECT_THAT(
      problems,
      ElementsAre(
          AllOf(HasSubstr(file + "2/run.json is left out: not a whole"), HasSubstr(expected)),
          file + "3/run.json is left out: a run of version 2; this lockstep reads version 1" +
              expected,
          AllOf(HasSubstr(file + "4/run.json is left out"), Not(HasSubstr("\x1b")),
                Not(HasSubstr("\xff"))),
          HasSubstr(file + "5/run.json: No such file")));
}

TEST_F(AResultDirectory, OfOthersIsComparedWithTheSmallestCountThatItHas) {
  sweep_.devices = {1, 2, 4};
  sweep_.strategies = {"replicated", "horovod"};
  put_sweep();
  auto run = nlohmann::json::parse(read_file(kGoldenDirectory / "imported_run.json"));
  for (const auto& [point, speed] :
       {std::pair("d1-replicated", 10), std::pair("d2-horovod", 16), std::pair("d4-horovod", 24)}) {
    run["statistics"]["images_per_s"] = speed;
    put(fmt::format("points/lenet-b4-{}/1/run.json", point), run.dump());
  }
  const auto [report, problems] = read_results(path_);
  EXPECT_THAT(problems, IsEmpty());
  ASSERT_EQ(report.rows.size(), 3);
  EXPECT_EQ(report.rows[2].baseline_devices, 2);
  EXPECT_DOUBLE_EQ(report.rows[2].speed_up->value, 1.5);
  EXPECT_DOUBLE_EQ(report.rows[2].efficiency->value, 0.75);
}

TEST_F(AResultDirectory, WithoutResultsIsRefused) {
  EXPECT_THAT(refusal(), HasSubstr("nightly holds no results: expected the sweep.json of a sweep"));
  path_ /= "nowhere";
  EXPECT_THAT(refusal(), HasSubstr("nowhere holds no results"));
}

TEST_F(AResultDirectory, OfASweepThatCannotBeReadIsRefusedWithTheFile) {
  put("sweep.json", "{\"models\": [");
  EXPECT_THAT(refusal(), AllOf(HasSubstr("2 " + path_.string() + "/sweep.json:1: not YAML"),
                               HasSubstr("expected a whole sweep.json of version 1")));
  put("sweep.json", R"({"schema": {"name": "lockstep-sweep", "version": 2}})");
  EXPECT_THAT(refusal(), HasSubstr("a sweep of version 2; this lockstep reads version 1"));
}

TEST_F(AResultDirectory, OfARunThatCannotBeReadIsRefusedWithTheFile) {
  for (const char* change :
       {R"({"config": {"batch_size": 0}})", R"({"config": {"batch_size": 1e30}})",
        R"({"config": {"devices": "two"}})", R"({"schema": {"version": 9}})",
        R"({"statistics": {"images_per_s": -1}})", R"({"statistics": {"images_per_s": 1e300}})",
        R"({"config": null})"}) {
    auto run = nlohmann::json::parse(run_);
    run.merge_patch(nlohmann::json::parse(change));
    put("run.json", run.dump());
    EXPECT_THAT(refusal(), AllOf(HasSubstr("2 " + path_.string() + "/run.json is left out: "),
                                 HasSubstr("expected a whole run.json of version 1")))
        << change;
  }
}

}  // namespace
}  // namespace lockstep::report
