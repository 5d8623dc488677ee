#include "result/directory.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "base/directory_for_test.h"
#include "base/error.h"
#include "base/files.h"
#include "result/run_for_test.h"

namespace lockstep::result {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
namespace fs = std::filesystem;

const fs::path kGoldenDirectory = fs::path(LOCKSTEP_SOURCE_DIR) / "src/result/golden";

class AResultDirectory : public DirectoryTest {
 protected:
  AResultDirectory() {
    fs::create_directory(path_);
    sweep_.models = {{"lenet", 4}};
    sweep_.devices = {1, 2};
    sweep_.ceiling = false;
  }

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

  fs::path path_ = directory_ / "nightly";
  spec::Sweep sweep_;
  const std::string run_ = run_json_of_lenet(1);
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
  EXPECT_EQ(status(report.records[1]), stats::Status::not_measured);
  EXPECT_THAT(problems, IsEmpty());
}

TEST_F(AResultDirectory, OfARunIsASweepOfOnePoint) {
  put("run.json", read_file(kGoldenDirectory / "run.json"));
  const auto [report, problems] = read_results(path_ / "");
  EXPECT_EQ(report.id, "nightly");
  ASSERT_EQ(report.plan.points.size(), 1);
  EXPECT_EQ(report.plan.points[0].id, "trivial-b32-d1-replicated");
  EXPECT_DOUBLE_EQ(report.rows[0].speed->value, 64);
}

TEST_F(AResultDirectory, SaysWhatFailed) {
  put("run.json", failed_);
  EXPECT_EQ(read_results(path_).sweep.records[0].failure,
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
      ElementsAre(file + "2/run.json is left out: cut off at byte 700" + expected,
                  file +
                      "3/run.json is left out: a run of version 2; this lockstep reads version 1" +
                      expected,
                  file + "4/run.json is left out: not JSON at byte 1" + expected,
                  HasSubstr(file + "5/run.json: No such file")));
}

TEST_F(AResultDirectory, OfOthersIsComparedWithTheSmallestCountThatItHas) {
  sweep_.devices = {1, 2, 4};
  sweep_.strategies = {"replicated", "horovod"};
  put_sweep();
  auto run =
      nlohmann::json::parse(read_file(kGoldenDirectory / "../../report/golden/imported_run.json"));
  for (const auto& [point, speed] :
       {std::pair("d1-replicated", 10), std::pair("d2-horovod", 16), std::pair("d4-horovod", 24)}) {
    run["statistics"]["images_per_s"] = speed;
    run["config"]["model"] = "lenet";
    run["config"]["batch_size"] = 4;
    run["config"]["devices"] = point[1] - '0';
    run["config"]["exchange"]["variable_update"] = std::string(point).substr(3);
    put(fmt::format("points/lenet-b4-{}/1/run.json", point), run.dump());
  }
  const auto [report, problems] = read_results(path_);
  EXPECT_THAT(problems, IsEmpty());
  ASSERT_EQ(report.rows.size(), 3);
  EXPECT_EQ(report.rows[2].baseline_devices, 2);
  EXPECT_DOUBLE_EQ(report.rows[2].speed_up->value, 1.5);
  EXPECT_DOUBLE_EQ(report.rows[2].efficiency->value, 0.75);
}

// Files of two points in each other's places.
TEST_F(AResultDirectory, LeavesOutWhatBelongsToAnotherPoint) {
  put_sweep();
  const std::string one = "points/lenet-b4-d1-replicated/", two = "points/lenet-b4-d2-replicated/";
  put(one + "1/run.json", run_json_of_lenet(2));
  put(two + "1/run.json", run_json_of_lenet(1));
  put(two + "2/run.json", run_json_of_lenet(2));
  const auto [report, problems] = read_results(path_);
  EXPECT_THAT(report.records[0].launches, IsEmpty());
  EXPECT_EQ(report.rows[1].speed->launches, 1);
  EXPECT_THAT(problems, ElementsAre(HasSubstr(one + "1/run.json is left out: it belongs to another "
                                                    "point: its number of devices is 2, not 1"),
                                    HasSubstr(two + "1/run.json is left out: it belongs to another "
                                                    "point: its number of devices is 1, not 2")));
}

TEST_F(AResultDirectory, LeavesOutWhatCannotBe) {
  put_sweep();
  const std::string point = "points/lenet-b4-d1-replicated/";
  auto run = nlohmann::json::parse(run_);
  run["ranks"][0]["forward_ms"] = -3;
  put(point + "1/run.json", run.dump());
  run = nlohmann::json::parse(run_);
  run["statistics"]["steps_measured"] = -4;
  put(point + "2/run.json", run.dump());
  run = nlohmann::json::parse(run_);
  run["statistics"]["drift_pct"] = -4;  // of a run that became faster
  put(point + "3/run.json", run.dump());
  run["statistics"]["gflops"] = "many";
  put(point + "4/run.json", run.dump());
  const auto [report, problems] = read_results(path_);
  EXPECT_EQ(report.rows[0].speed->launches, 1);
  EXPECT_THAT(problems,
              ElementsAre(HasSubstr("1/run.json is left out: its ranks.0.forward_ms is -3, which "
                                    "cannot be; "),
                          HasSubstr("2/run.json is left out: its statistics.steps_measured is -4"),
                          HasSubstr("4/run.json is left out: gflops: expected number, found "
                                    "string")));
}

TEST_F(AResultDirectory, DoesNotReadWithoutEnd) {
  put_sweep();
  const fs::path launch = path_ / "points/lenet-b4-d1-replicated/1";
  fs::create_directories(launch);
  fs::create_symlink("/dev/zero", launch / "run.json");
  EXPECT_THAT(read_results(path_).problems, ElementsAre(HasSubstr("not a regular file")));
  put("points/lenet-b4-d1-replicated/2/run.json", std::string(1 << 20, '['));
  EXPECT_THAT(read_results(path_).problems[1], HasSubstr("it nests deeper than 64 levels"));
  put("sweep.json", "models: " + std::string(1 << 19, '['));
  EXPECT_THAT(refusal(), HasSubstr("sweep.json"));
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
}  // namespace lockstep::result
