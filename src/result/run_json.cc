#include "result/run_json.h"

#include <fmt/chrono.h>

#include <nlohmann/json.hpp>
#include <numeric>

#include "base/files.h"
#include "record/sample.h"
#include "result/environment.h"
#include "result/metrics.h"

namespace lockstep::result {
namespace {

using Json = nlohmann::ordered_json;

double milliseconds(double seconds) {
  return 1e3 * seconds;
}

// An infinite bound becomes null too: JSON has no other word for it.
Json json_of(const Value& value) {
  return std::visit(
      [](const auto& known) -> Json {
        if constexpr (std::is_same_v<decltype(known), const std::monostate&>) {
          return nullptr;
        } else {
          return known;
        }
      },
      value);
}

Json statistics(const Measured& measured) {
  Json object = Json::object();
  for (const Metric& metric : metrics()) {
    if (metric.of_run != nullptr)
      object[std::string(metric.key)] = json_of(metric.of_run(measured));
  }
  return object;
}

// Each phase's part of the mean step; `other` is what no phase claims.
Json phases(const stats::Summary& summary) {
  Json object = Json::object();
  const auto add = [&](std::string_view name, double seconds) {
    object[std::string(name)] = {{"ms", milliseconds(seconds)},
                                 {"share_pct", 100 * seconds / summary.step_mean}};
  };
  for (std::size_t p = 0; p < record::kPhases; ++p) add(record::kPhaseNames[p], summary.phases[p]);
  add("other",
      summary.step_mean - std::accumulate(summary.phases.begin(), summary.phases.end(), 0.0));
  return object;
}

// What each rank did with its time, per step.
Json buckets(const record::Flight& flight) {
  Json array = Json::array();
  for (const record::Flight::Bucket& bucket : flight.buckets) {
    array.push_back({{"bytes", bucket.bytes},
                     {"in_flight_ms", milliseconds(bucket.seconds)},
                     {"exposed_ms", milliseconds(bucket.exposed)},
                     {"waiting_ms", milliseconds(bucket.waiting)}});
  }
  return array;
}

Json ranks(const Measured& measured) {
  Json array = Json::array();
  for (const stats::RankSummary& rank : measured.ranks) {
    Json object = {
        {"rank", array.size()}, {"host", rank.host}, {"step_ms", milliseconds(rank.step)}};
    for (std::size_t p = 0; p < record::kPhases; ++p) {
      object[fmt::format("{}_ms", record::kPhaseNames[p])] = milliseconds(rank.phases[p]);
    }
    object["waiting_ms"] = milliseconds(rank.waiting);
    object["wire_ms"] = milliseconds(rank.wire);
    object["bytes_sent"] = rank.bytes_sent;
    object["bytes_received"] = rank.bytes_received;
    object["arrived_last"] = rank.arrived_last;
    object["in_flight_ms"] = milliseconds(rank.flight.seconds);
    object["exposed_ms"] = milliseconds(rank.flight.exposed);
    object["buckets"] = buckets(rank.flight);
    array.push_back(std::move(object));
  }
  return array;
}

Json servers(const Measured& measured) {
  Json array = Json::array();
  for (const stats::ServerSummary& server : measured.servers) {
    array.push_back({{"rank", measured.ranks.size() + array.size()},
                     {"host", server.host},
                     {"updates", server.updates},
                     {"gradients", server.gradients},
                     {"staleness_mean", server.staleness_mean},
                     {"staleness_max", server.staleness_max},
                     {"gradients_dropped", server.dropped},
                     {"bytes_sent", server.bytes_sent},
                     {"bytes_received", server.bytes_received}});
  }
  return array;
}

Json straggler(const stats::Straggler& slow) {
  return {{"rank", slow.rank},
          {"arrived_last", slow.arrived_last},
          {"steps", slow.steps},
          {"cost_ms", milliseconds(slow.cost)}};
}

// Per stage, what its threads could do if they did nothing else, and what they do in all of them.
Json input(const stats::InputSummary& summary) {
  Json stages = Json::object();
  for (std::size_t i = 0; i < stats::kInputStages.size(); ++i) {
    const double speed = summary.images_per_second[i];
    stages[std::string(stats::kInputStages[i])] = speed > 0 ? Json(speed) : Json(nullptr);
  }
  stages["all"] = summary.all_per_second;
  return {{"images", summary.images},
          {"images_skipped", summary.skipped},
          {"images_per_s", std::move(stages)},
          {"waited_pct", 100 * summary.waited},
          {"limited_by", summary.limited_by}};
}

Json evaluations(const Measured& measured) {
  Json array = Json::array();
  for (const Evaluation& evaluation : measured.evaluations) {
    array.push_back({{"step", evaluation.step},
                     {"top_1", evaluation.top_1},
                     {"top_5", evaluation.top_5},
                     {"images", evaluation.images},
                     {"seconds", evaluation.seconds},
                     {"training_seconds", evaluation.training_seconds}});
  }
  return array;
}

Json time_to_accuracy(const Measured& measured) {
  for (const Evaluation& evaluation : measured.evaluations) {
    if (!evaluation.reached) continue;
    return {{"step", evaluation.step},
            {"seconds", evaluation.seconds},
            {"training_seconds", evaluation.training_seconds}};
  }
  return nullptr;
}

Json error(const Failure& failure) {
  return {{"exit_code", static_cast<int>(failure.code)},
          {"message", failure.message},
          {"hint", failure.hint}};
}

}  // namespace

Json config_json(const spec::Trial& trial, std::int64_t batches) {
  Json config = Json::parse(to_json(trial));
  config["num_batches"] = batches;
  return config;
}

Json run_json(const RunInfo& info, const Result& result) {
  const Measured* measured = result.measured();
  const Failure* failure = result.failure();
  Json context = {{"date", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(info.started))},
                  {"lockstep_version", info.version},
                  {"processors", info.processors}};
  context.update(to_json(result.environment));
  if (measured && !measured->convolutions.empty()) {
    context["convolutions"] = measured->convolutions;
  }
  return {
      {"schema", {{"name", "lockstep-run"}, {"version", kRunVersion}}},
      {"context", context},
      {"argv", info.argv},
      {"config", config_json(result.trial, info.batches)},
      {"statistics", measured ? statistics(*measured) : Json(nullptr)},
      {"phases", measured ? phases(measured->summary) : Json(nullptr)},
      {"ranks", measured ? ranks(*measured) : Json(nullptr)},
      {"servers", measured ? servers(*measured) : Json(nullptr)},
      {"straggler",
       measured && measured->straggler ? straggler(*measured->straggler) : Json(nullptr)},
      {"input", measured && measured->input ? input(*measured->input) : Json(nullptr)},
      {"evaluations", measured ? evaluations(*measured) : Json(nullptr)},
      {"time_to_accuracy", measured ? time_to_accuracy(*measured) : Json(nullptr)},
      {"warnings", result.warnings},
      {"error", failure ? error(*failure) : Json(nullptr)},
  };
}

void write_run_json(const std::filesystem::path& directory, const RunInfo& info,
                    const Result& result) {
  write_file(directory / "run.json", run_json(info, result).dump(2) + '\n');
}

}  // namespace lockstep::result
