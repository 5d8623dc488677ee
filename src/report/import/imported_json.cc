#include "report/import/imported_json.h"

#include <fmt/chrono.h>

#include <nlohmann/json.hpp>

#include "base/or_null.h"
#include "result/metrics.h"
#include "result/run_json.h"
#include "spec/names.h"

namespace lockstep::report {
namespace {

using Json = nlohmann::ordered_json;

std::string utc(std::time_t time) {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(time));
}

// As much of a trial as is known; the same keys.
Json config(const RunSetup& setup) {
  Json json = Json::object();
  const auto add = [](Json& object, const char* key, const auto& value) {
    if (value) object[key] = *value;
  };
  add(json, "model", setup.model);
  add(json, "dataset", setup.dataset);
  if (setup.mode && spec::named<spec::Mode>(*setup.mode)) json["mode"] = *setup.mode;
  add(json, "batch_size", setup.batch_size);
  add(json, "devices", setup.devices);
  if (setup.data_format && spec::named<spec::DataFormat>(*setup.data_format)) {
    json["data_format"] = *setup.data_format;
  }
  if (setup.optimizer && spec::named<spec::OptimizerKind>(*setup.optimizer)) {
    json["optimizer"] = {{"kind", *setup.optimizer}};
  }
  Json exchange = Json::object();
  add(exchange, "variable_update", setup.strategy);
  add(exchange, "num_ps", setup.num_ps);
  json["exchange"] = exchange;
  return json;
}

Json statistics(const ImportedRun& run) {
  Json json = Json::object();
  for (const result::Metric& metric : result::metrics()) {
    if (metric.of_run != nullptr) json[std::string(metric.key)] = nullptr;
  }
  json["steps_measured"] = or_null(run.steps_measured);
  json["images_per_s"] = run.images_per_second;
  json["images_per_s_standard_error"] = or_null(run.standard_error);
  json["images_per_s_jitter"] = or_null(run.jitter);
  if (run.step_seconds) json["step_ms_mean"] = 1e3 * *run.step_seconds;
  return json;
}

Json origin(const ImportedRun& run) {
  Json header = Json::object();
  for (const auto& [label, value] : run.header) header[label] = value;
  Json spread = nullptr;
  if (run.spread) {
    spread = {{"images_per_s", run.spread->images_per_second}, {"meaning", run.spread->meaning}};
  }
  return {{"format", run.format}, {"framework", run.framework}, {"files", run.files},
          {"figure", run.figure}, {"spread", spread},           {"header", header}};
}

// Logs need not be UTF-8, JSON must be: other bytes become U+FFFD.
std::string text_of(const Json& document) {
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace

std::string imported_run_json(const ImportInfo& info, const ImportedRun& run) {
  return text_of({
      {"schema", {{"name", "lockstep-run"}, {"version", result::kRunVersion}}},
      {"context",
       {{"date", utc(info.written)},
        {"lockstep_version", info.version},
        {"processors", nullptr},
        {"imported", origin(run)}}},
      {"argv", info.argv},
      {"config", config(run.setup)},
      {"statistics", statistics(run)},
      {"phases", nullptr},
      {"ranks", nullptr},
      {"servers", nullptr},
      {"straggler", nullptr},
      {"input", nullptr},
      {"evaluations", nullptr},
      {"time_to_accuracy", nullptr},
      {"warnings", run.warnings},
      {"error", nullptr},
  });
}

std::string imported_comm_json(const ImportInfo& info, const ImportedCollectives& collectives) {
  Json rows = Json::array();
  for (const ImportedCollectives::Row& row : collectives.rows) {
    rows.push_back({{"bytes", row.bytes},
                    {"elements", row.elements},
                    {"buckets", 1},
                    {"algorithm", row.algorithm},
                    {"operations", or_null(collectives.operations)},
                    {"time_us", row.time_us},
                    {"algbw_GBps", row.algbw},
                    {"busbw_GBps", row.busbw},
                    {"wrong", or_null(row.wrong)}});
  }
  return text_of({{"schema", {{"name", "lockstep-comm"}, {"version", 1}}},
                  {"configuration",
                   {{"operation", collectives.operation},
                    {"transport", nullptr},
                    {"ranks", collectives.ranks},
                    {"hosts", collectives.hosts},
                    {"threads_per_device", nullptr},
                    {"oversubscribed", nullptr},
                    {"processors", nullptr}}},
                  {"environment",
                   {{"imported",
                     {{"format", collectives.format},
                      {"framework", collectives.framework},
                      {"files", Json::array({collectives.file})},
                      {"date", utc(info.written)},
                      {"element", collectives.type}}}}},
                  {"rows", rows}});
}

}  // namespace lockstep::report
