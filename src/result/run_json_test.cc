#include "result/run_json.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "base/json.h"
#include "base/temporary_directory.h"
#include "result/metrics.h"
#include "tests/golden.h"

namespace lockstep::result {
namespace {

spec::Trial trial() {
  spec::Trial trial;
  trial.model = "trivial";
  trial.batch_size = 32;
  trial.exchange.variable_update = "replicated";
  trial.exchange.all_reduce_spec = "tree:64k:xring#2";
  return trial;
}

RunInfo info() {
  return {.version = "0.1.0",
          .argv = {"lockstep", "run", "--model=trivial", "--variable_update=replicated",
                   "--all_reduce_spec=tree:64k:xring#2"},
          .started = 1700000000,
          .processors = "0-1",
          .batches = 100};
}

machine::Environment environment() {
  machine::Environment environment;
  environment.host_name = "host07";
  environment.cpus = 2;
  environment.libraries = {"oneDNN 2.6.3"};
  return environment;
}

// Times are sums of powers of two, so that the figures are exact.
std::vector<record::Sample> samples() {
  std::vector<record::Sample> samples;
  double clock = 0;
  for (const double time : {0.5, 0.5, 0.75, 0.25}) {
    record::Sample sample{.step = 3 + static_cast<std::int64_t>(samples.size()), .begin = clock};
    clock += time;
    sample.end = clock;
    sample.phases = {0, time / 4, time / 2, 0, time / 8};
    samples.push_back(sample);
  }
  return samples;
}

Result example_result() {
  stats::Summary summary = stats::summarise(samples(), 32);
  summary.images_per_second_interval = {48, 96};  // the real one has digits of the C library
  const Usage usage{.warmup_steps = 3,
                    .seconds_to_first_step = 0.25,
                    .peak_rss_bytes = 1 << 20,
                    .gflops = 32,
                    .peak_gflops = 128,
                    .joules = 64,
                    .joules_per_image = 0.5,
                    .cost_per_million_images = 8};
  const std::vector<stats::RankSamples> ranks = {
      {.host = "host07",
       .timed = samples(),
       .bytes_sent = 4096,
       .bytes_received = 2048,
       .flight = {.buckets = {{.bytes = 4096, .seconds = 0.5, .exposed = 0.125, .waiting = 0.0625}},
                  .seconds = 0.5,
                  .exposed = 0.125}}};
  const stats::ServerSummary server{.host = "host08",
                                    .updates = 7,
                                    .gradients = 14,
                                    .staleness_mean = 0.5,
                                    .staleness_max = 2,
                                    .dropped = 0,
                                    .bytes_sent = 8192,
                                    .bytes_received = 16384};
  return measured_result(
      trial(), environment(), {"--xla means nothing here"},
      {.summary = summary,
       .usage = usage,
       .ranks = stats::summarise_ranks(ranks),
       .servers = {server},
       .straggler = stats::Straggler{.rank = 0, .arrived_last = 4, .steps = 4, .cost = 0.125},
       .input = stats::InputSummary{.images = 128,
                                    .skipped = 1,
                                    .images_per_second = {4096, 96, 0, 2048},
                                    .all_per_second = 90,
                                    .waited = 0.25,
                                    .limited_by = "decode"},
       .evaluations = {{.step = 2,
                        .top_1 = 0.25,
                        .top_5 = 0.75,
                        .images = 1000,
                        .seconds = 8,
                        .training_seconds = 2,
                        .reached = true}},
       .all_reduce = "tree+ring#2"});
}

TEST(RunJson, IsTheCommittedExample) {
  const TemporaryDirectory directory("run");
  write_run_json(directory.path(), info(), example_result());
  expect_golden("src/result/golden/run.json", read_file(directory.path() / "run.json"));
}

// The type of a value of run.json. What an empty run does not have may be null. A bound that the
// schema has already stays as it is.
nlohmann::ordered_json schema_of(const Metric& metric, const Measured& whole,
                                 const nlohmann::ordered_json& before) {
  constexpr const char* kTypes[] = {"null", "integer", "number", "boolean", "string"};
  const std::size_t kind = metric.of_run(whole).index();
  EXPECT_NE(kind, 0U) << metric.key << " is not in the example";
  nlohmann::ordered_json schema = {{"description", metric.meaning}, {"type", kTypes[kind]}};
  if (metric.of_run({}).index() == 0) schema["type"] = {kTypes[kind], "null"};
  const bool number = kind == Value(std::int64_t()).index() || kind == Value(0.0).index();
  const auto known = before.find(metric.key);
  if (known != before.end() && known->contains("minimum")) {
    schema["minimum"] = known->at("minimum");
  } else if (number && !metric.may_be_negative) {
    schema["minimum"] = 0;
  }
  return schema;
}

std::vector<std::string> keys_of(const nlohmann::ordered_json& object) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.push_back(key);
  return keys;
}

TEST(RunJson, HasTheSchemaThatItsMetricsDefine) {
  constexpr const char* kFile = "docs/run.schema.json";
  auto schema = parse_ordered_json(read_file(std::filesystem::path(LOCKSTEP_SOURCE_DIR) / kFile));
  nlohmann::ordered_json keys = nlohmann::ordered_json::array(), types;
  const nlohmann::ordered_json before = schema["$defs"]["statistics"]["properties"];
  const Result example = example_result();
  for (const Metric& metric : metrics()) {
    if (metric.of_run == nullptr) continue;
    keys.push_back(metric.key);
    types[std::string(metric.key)] = schema_of(metric, *example.measured(), before);
  }
  schema["$defs"]["statistics"]["required"] = keys;
  schema["$defs"]["statistics"]["properties"] = types;
  schema["$defs"]["known_statistics"]["required"] = keys;
  const auto document = run_json(info(), example);
  schema["$defs"]["phases"]["required"] = keys_of(document["phases"]);
  schema["$defs"]["phases"]["properties"] = {};
  for (const auto& key : keys_of(document["phases"])) {
    schema["$defs"]["phases"]["properties"][key]["$ref"] = "#/$defs/phase";
  }
  schema["$defs"]["rank"]["required"] = keys_of(document["ranks"][0]);
  auto& properties = schema["$defs"]["rank"]["properties"];
  for (const std::string_view phase : record::kPhaseNames) {
    const std::string key = fmt::format("{}_ms", phase);
    if (!properties.contains(key)) properties[key]["$ref"] = "#/$defs/amount";
  }
  expect_golden(kFile, schema.dump(2) + '\n');
}

TEST(RunJson, OfAFailedRunHasTheErrorAndNoNumber) {
  const Error error(ExitCode::rank_failed, "the loss is not finite at step 12 (conv3)",
                    "lower --init_learning_rate");
  const auto json = run_json(info(), failed_result(trial(), environment(), {}, error));
  EXPECT_TRUE(json["statistics"].is_null());
  EXPECT_TRUE(json["phases"].is_null());
  expect_golden("src/result/golden/failed_run.json", json.dump(2) + '\n');
}

TEST(RunJson, HasPhasesThatAddUpToTheStep) {
  const auto json = run_json(info(), example_result());
  double share = 0;
  for (const auto& phase : json["phases"]) share += phase["share_pct"].get<double>();
  EXPECT_DOUBLE_EQ(share, 100);
}

TEST(RunJson, SaysNullWhereThereIsNoNumber) {
  Result result = example_result();
  auto& outcome = std::get<Measured>(result.outcome);
  outcome.summary.images_per_second_interval->high = INFINITY;
  outcome.usage.peak_gflops.reset();
  const auto json = nlohmann::json::parse(run_json(info(), result).dump())["statistics"];
  EXPECT_TRUE(json["images_per_s_ci95_hi"].is_null());
  EXPECT_TRUE(json["peak_gflops"].is_null());
  EXPECT_TRUE(json["mfu_pct"].is_null());
  EXPECT_TRUE(json["images_per_s_ci95_lo"].is_number());
}

}  // namespace
}  // namespace lockstep::result
