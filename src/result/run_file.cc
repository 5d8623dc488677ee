#include "result/run_file.h"

#include <algorithm>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <ranges>

#include "base/files.h"
#include "base/json.h"
#include "base/text.h"
#include "record/sample.h"
#include "result/environment.h"
#include "result/metrics.h"
#include "result/run_check.h"
#include "result/run_json.h"
#include "spec/strategies.h"

namespace lockstep::result {
namespace {

using SortedJson = nlohmann::json;

// What the ranks say of themselves. Their means may have been taken over more steps than those that
// were kept (the unsteady ones), so they are brought to the mean of the kept ones.
// `sums_everywhere`: a step gives every rank the sum of all, as an all-reduce does.
void add_ranks(const SortedJson& ranks, bool sums_everywhere, stats::Launch& launch) {
  if (ranks.empty()) return;
  double step_ms = 0;
  for (const SortedJson& rank : ranks) step_ms += json_value<double>(rank, "step_ms");
  const double scale = step_ms > 0 ? launch.step_ms_mean / step_ms : 0;
  const auto mean = [&](const char* key) {
    double sum = 0;
    for (const SortedJson& rank : ranks) sum += json_value<double>(rank, key);
    return scale * sum;
  };
  std::map<std::string, int> devices;  // by host
  for (const SortedJson& rank : ranks) {
    const auto host = json_value<std::string>(rank, "host");
    ++devices[host];
    launch.ranks.push_back(
        {host, scale * static_cast<double>(ranks.size()) * json_value<double>(rank, "waiting_ms")});
  }
  launch.hosts = static_cast<int>(devices.size());
  launch.devices_per_host = std::ranges::max(devices | std::views::values);
  double bytes = 0;
  for (const SortedJson& bucket : ranks.front().value("buckets", SortedJson::array())) {
    launch.bucket_bytes = std::max(launch.bucket_bytes, json_value<std::int64_t>(bucket, "bytes"));
    bytes += json_value<double>(bucket, "bytes");
  }
  double phases = 0;
  for (std::size_t p = 0; p < record::kPhases; ++p) {
    const std::string key = fmt::format("{}_ms", record::kPhaseNames[p]);
    if (!ranks.front().contains(key)) continue;  // a phase that early files do not have
    launch.phase_ms[p] = mean(key.c_str());
    phases += launch.phase_ms[p];
  }
  launch.other_ms = launch.step_ms_mean - phases;
  launch.waiting_ms = mean("waiting_ms");
  const bool flown = ranks.front().contains("in_flight_ms");  // not in the first files
  const double in_flight = flown ? mean("in_flight_ms") : 0;
  if (in_flight > 0) launch.overlap_pct = 100 * (1 - mean("exposed_ms") / in_flight);
  const bool exchanged = ranks.size() > 1 && in_flight > 0 && mean("bytes_received") > 0;
  if (sums_everywhere && exchanged) {
    const auto world = static_cast<double>(ranks.size());
    launch.busbw_gbps = bytes * 2 * (world - 1) / world / in_flight / 1e6;  // from bytes/ms
  }
}

// Reads what a metric says is in `statistics`. Earlier files lack what later versions have added,
// and what a run could not measure is null: only optional fields may be either.
void read_field(const SortedJson& statistics, const Metric& metric, stats::Launch& launch) {
  const std::string key(metric.key);
  std::visit(
      [&](auto member) {
        if constexpr (!std::is_same_v<decltype(member), std::monostate>) {
          using Field = std::remove_reference_t<decltype(launch.*member)>;
          if constexpr (std::is_same_v<Field, std::optional<double>>) {
            const bool known = statistics.contains(key) && !statistics.at(key).is_null();
            if (known) launch.*member = json_value<double>(statistics, key.c_str());
          } else {
            launch.*member = json_value<Field>(statistics, key.c_str());
          }
        }
      },
      metric.of_launch);
}

// What ran; of files that lack it, what was asked for.
std::string all_reduce_of(const SortedJson& statistics, const SortedJson& config) {
  if (const auto ran = statistics.find("all_reduce"); ran != statistics.end()) {
    return ran->is_null() ? "" : ran->get<std::string>();
  }
  const SortedJson exchange = config.value("exchange", SortedJson::object());
  const std::string strategy = exchange.value("variable_update", spec::Exchange().variable_update);
  if (!spec::has_trait(strategy, &spec::StrategyRow::reduces)) return {};
  const std::string asked = exchange.value("all_reduce_spec", "");
  return asked.empty() ? "auto" : asked;
}

stats::Launch launch_of(const SortedJson& document) {
  const SortedJson& context = document.at("context");
  const SortedJson& statistics = document.at("statistics");
  stats::Launch launch;
  launch.date = json_value<std::string>(context, "date");
  const SortedJson& config = document.at("config");
  launch.dataset = config.value("dataset", "");
  launch.image_size = config.value("image_size", 0);
  launch.classes = config.value("num_classes", 0);
  launch.mode = config.value("mode", "");
  const machine::Environment environment = environment_from_json(context);
  launch.machine = in_one_line(environment);
  launch.processors = environment.cpus;
  launch.load_average = environment.load_average;
  launch.warnings = json_value<std::vector<std::string>>(document, "warnings");
  launch.images_per_second = json_value<double>(statistics, "images_per_s");
  if (!is_speed(launch.images_per_second)) {
    throw Error(ExitCode::usage, fmt::format("a speed of {} images/s", launch.images_per_second));
  }
  if (context.contains("imported")) {
    launch.imported = true;
    launch.program = context.at("imported").at("framework").get<std::string>();
    return launch;
  }
  launch.program = fmt::format("lockstep {}", json_value<std::string>(context, "lockstep_version"));
  for (const Metric& metric : metrics()) read_field(statistics, metric, launch);
  launch.all_reduce = all_reduce_of(statistics, config);
  // Backup workers do not wait for each other, either.
  const SortedJson exchange = config.value("exchange", SortedJson::object());
  const bool in_step =
      exchange.value("cross_replica_sync", true) && exchange.value("replicas_to_aggregate", 0) == 0;
  add_ranks(document.at("ranks"), in_step, launch);
  return launch;
}

// A whole run.json, handed to `read`.
template <typename Read>
auto with_document(std::string_view text, Read read) {
  try {
    const SortedJson document = parse_json(text);
    const SortedJson& schema = document.at("schema");
    if (schema.at("name") != "lockstep-run") {
      throw Error(ExitCode::usage, "it is no run of lockstep's");
    }
    if (schema.at("version") != kRunVersion) {
      throw Error(ExitCode::usage,
                  fmt::format("a run of version {}; this lockstep reads version {}",
                              schema.at("version").dump(), kRunVersion));
    }
    return read(document);
  } catch (const SortedJson::exception& error) {
    throw Error(ExitCode::usage, json_fault(error));
  }
}

// A count of something, from 1 on.
int count(const SortedJson& object, const char* key, int otherwise) {
  const SortedJson number = object.value(key, SortedJson(otherwise));
  if (number.is_number_integer() && number >= 1 && number <= std::numeric_limits<int>::max()) {
    return number.get<int>();
  }
  throw Error(ExitCode::usage,
              fmt::format("its {} is {}; expected a number from 1 on", key, number.dump()));
}

}  // namespace

bool is_speed(double images_per_second) {
  return images_per_second > 1e-18 && images_per_second < 1e18;
}

RunFile read_run_json(std::string_view text, const spec::Point* point) {
  return with_document(text, [&](const SortedJson& document) -> RunFile {
    const SortedJson& error = document.at("error");
    if (error.is_null()) {
      check_amounts(document);
      if (point != nullptr) check_identity(document, *point);
      return launch_of(document);
    }
    return Failure{static_cast<ExitCode>(json_value<int>(error, "exit_code")),
                   json_value<std::string>(error, "message"),
                   json_value<std::string>(error, "hint")};
  });
}

stats::Launch read_launch(const std::filesystem::path& directory, const spec::Point& point) {
  const RunFile file = read_run_json(read_file(directory / "run.json"), &point);
  if (const auto* failure = std::get_if<Failure>(&file)) {
    throw Error(ExitCode::usage, failure->message);
  }
  return std::get<stats::Launch>(file);
}

spec::Sweep sweep_of_run(std::string_view text) {
  return with_document(text, [](const SortedJson& document) {
    const SortedJson& config = document.at("config");
    const SortedJson exchange = config.value("exchange", SortedJson::object());
    const spec::Trial usual;
    const int devices = count(config, "devices", usual.devices);
    const auto ranks = static_cast<int>(document.at("ranks").size());  // 0: it failed
    spec::Sweep sweep;
    sweep.models = {{json_value<std::string>(config, "model"), count(config, "batch_size", 0)}};
    sweep.devices = {ranks > 0 ? ranks : devices};
    sweep.strategies = {exchange.value("variable_update", usual.exchange.variable_update)};
    sweep.num_ps = {exchange.value("num_ps", 0)};
    sweep.data_formats = {config.value("data_format", "auto")};
    sweep.ceiling = false;
    sweep.threads_per_device = config.value("threads_per_device", 0);
    return sweep;
  });
}

}  // namespace lockstep::result
