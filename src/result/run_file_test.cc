#include "result/run_file.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/golden.h"

namespace lockstep::result {
namespace {

const std::string kGoldenRuns = LOCKSTEP_SOURCE_DIR "/src/result/golden/";

TEST(RunFile, ReadsWhatARunWrote) {
  const RunFile file = read_run_json(read_file(kGoldenRuns + "run.json"));
  const auto& launch = std::get<stats::Launch>(file);
  EXPECT_DOUBLE_EQ(launch.images_per_second, 64);
  EXPECT_EQ(launch.steps_measured, 4);
  EXPECT_EQ(launch.steps_warmup, 3);
  EXPECT_DOUBLE_EQ(launch.step_ms_mean, 500);
  EXPECT_DOUBLE_EQ(launch.phase(record::Phase::forward), 125);
  EXPECT_DOUBLE_EQ(launch.phase(record::Phase::backward), 250);
  EXPECT_DOUBLE_EQ(launch.other_ms, 62.5);
  EXPECT_DOUBLE_EQ(launch.overlap_pct.value(), 75);  // 125 ms of 500 are exposed
  EXPECT_EQ(launch.hosts, 1);
  EXPECT_EQ(launch.devices_per_host, 1);
  EXPECT_EQ(launch.all_reduce, "tree+ring#2");
  EXPECT_EQ(launch.bucket_bytes, 4096);
  EXPECT_DOUBLE_EQ(launch.joules.value(), 64);
  EXPECT_DOUBLE_EQ(launch.mfu_pct.value(), 25);
  EXPECT_EQ(launch.date, "2023-11-14T22:13:20Z");
}

TEST(RunFile, TellsWhichAllReduceRanAndOfEarlyFilesWhichWasAskedFor) {
  auto run = nlohmann::json::parse(read_file(kGoldenRuns + "run.json"));
  const auto all_reduce = [&] {
    return std::get<stats::Launch>(read_run_json(run.dump())).all_reduce;
  };
  run["statistics"]["all_reduce"] = nullptr;
  EXPECT_EQ(all_reduce(), "");
  run["statistics"].erase("all_reduce");
  EXPECT_EQ(all_reduce(), "tree:64k:xring#2");
  run["config"]["exchange"]["all_reduce_spec"] = "";
  EXPECT_EQ(all_reduce(), "auto");
  run["config"]["exchange"]["variable_update"] = "parameter_server";
  EXPECT_EQ(all_reduce(), "");
}

TEST(RunFile, ReadsHowLoadedTheMachineWas) {
  auto run = nlohmann::json::parse(read_file(kGoldenRuns + "run.json"));
  run["context"]["num_cpus"] = 8;
  run["context"]["load_average"] = 6.5;
  const auto launch = std::get<stats::Launch>(read_run_json(run.dump()));
  EXPECT_EQ(launch.processors, 8);
  EXPECT_DOUBLE_EQ(launch.load_average, 6.5);
}

// As nccl-tests reckon it: 4096 bytes in 500 ms, times 2 (N - 1) / N.
TEST(RunFile, TellsTheBusBandwidthWhereRanksSumInStep) {
  auto run = nlohmann::json::parse(read_file(kGoldenRuns + "run.json"));
  const auto busbw = [&] { return std::get<stats::Launch>(read_run_json(run.dump())).busbw_gbps; };
  EXPECT_FALSE(busbw());  // of one rank
  run["ranks"].push_back(run["ranks"][0]);
  EXPECT_DOUBLE_EQ(busbw().value(), 8192e-9);
  run["ranks"].push_back(run["ranks"][0]);
  run["ranks"].push_back(run["ranks"][0]);
  EXPECT_DOUBLE_EQ(busbw().value(), 1.5 * 8192e-9);
  run["config"]["exchange"]["cross_replica_sync"] = false;
  EXPECT_FALSE(busbw());
  run["config"]["exchange"]["cross_replica_sync"] = true;
  run["config"]["exchange"]["replicas_to_aggregate"] = 2;
  EXPECT_FALSE(busbw());
  run["config"]["exchange"]["replicas_to_aggregate"] = 0;
  for (auto& rank : run["ranks"]) rank["bytes_received"] = 0;  // independent of each other
  EXPECT_FALSE(busbw());
}

TEST(RunFile, ReadsWhyARunFailed) {
  const RunFile file = read_run_json(read_file(kGoldenRuns + "failed_run.json"));
  const auto& failure = std::get<Failure>(file);
  EXPECT_EQ(failure.code, ExitCode::rank_failed);
  EXPECT_EQ(failure.message, "the loss is not finite at step 12 (conv3)");
}

TEST(RunFile, IsRejectedWhereverItIsCutOff) {
  const std::string whole = read_file(kGoldenRuns + "run.json");
  const std::size_t last = whole.find_last_of('}');
  for (std::size_t length = 0; length <= last; ++length) {
    EXPECT_THROW(read_run_json(whole.substr(0, length)), Error) << length;
  }
}

TEST(RunFile, IsRejectedWhenItIsSomethingElse) {
  for (
      const char* text :
      {"[]", "null", R"({"schema": {"name": "lockstep-comm", "version": 1}})",
       R"({"schema": {"name": "lockstep-run", "version": 99}, "error": null})",
       R"({"schema": {"name": "lockstep-run", "version": 1}, "error": null, "statistics": null})"}) {
    EXPECT_THROW(read_run_json(text), Error) << text;
  }
}

}  // namespace
}  // namespace lockstep::result
