#include "report/run_file.h"

#include <nlohmann/json.hpp>
#include <set>

#include "report/run_json.h"

namespace lockstep::report {
namespace {

using Json = nlohmann::json;

stats::Launch launch_of(const Json& document) {
  const Json& statistics = document.at("statistics");
  const Json& phases = document.at("phases");
  const auto number = [&](const char* key) { return statistics.at(key).get<double>(); };
  const auto phase = [&](const char* key) { return phases.at(key).at("ms").get<double>(); };
  stats::Launch launch;
  launch.date = document.at("context").at("date").get<std::string>();
  launch.dataset = document.at("config").value("dataset", "");
  launch.images_per_second = number("images_per_s");
  launch.steps_measured = statistics.at("steps_measured").get<std::int64_t>();
  launch.steps_warmup = statistics.at("steps_warmup").get<std::int64_t>();
  launch.step_ms_mean = number("step_ms_mean");
  launch.step_ms_median = number("step_ms_median");
  launch.step_ms_p95 = number("step_ms_p95");
  launch.step_ms_p99 = number("step_ms_p99");
  launch.input_ms = phase("input");
  launch.forward_ms = phase("forward");
  launch.backward_ms = phase("backward");
  launch.exchange_ms = phase("exchange");
  launch.update_ms = phase("update");
  launch.other_ms = phase("other");
  launch.gflops = number("gflops");
  if (!statistics.at("mfu_pct").is_null()) launch.mfu_pct = number("mfu_pct");
  launch.rss_peak_bytes = statistics.at("rss_peak_bytes").get<std::int64_t>();
  launch.stable = statistics.at("stable").get<bool>();
  launch.warnings = document.at("warnings").get<std::vector<std::string>>();
  std::set<std::string> hosts;
  for (const Json& rank : document.at("ranks")) {
    hosts.insert(rank.at("host").get<std::string>());
    launch.waiting_ms +=
        rank.at("waiting_ms").get<double>() / static_cast<double>(document.at("ranks").size());
  }
  launch.hosts = static_cast<int>(hosts.size());
  if (!(launch.images_per_second > 0)) {
    throw Error(ExitCode::usage, fmt::format("a speed of {} images/s", launch.images_per_second));
  }
  return launch;
}

}  // namespace

RunFile read_run_json(std::string_view text) {
  try {
    const Json document = Json::parse(text);
    const Json& schema = document.at("schema");
    if (schema.at("name") != "lockstep-run" || schema.at("version") != kRunVersion) {
      throw Error(ExitCode::usage, fmt::format("not a run of version {}", kRunVersion));
    }
    const Json& error = document.at("error");
    if (error.is_null()) return launch_of(document);
    return stats::Failure{static_cast<ExitCode>(error.at("exit_code").get<int>()),
                          error.at("message").get<std::string>(),
                          error.at("hint").get<std::string>()};
  } catch (const Json::exception& error) {
    throw Error(ExitCode::usage, fmt::format("not a whole run.json: {}", error.what()));
  }
}

}  // namespace lockstep::report
