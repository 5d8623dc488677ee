#include "report/run_file.h"

#include <algorithm>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <ranges>

#include "base/files.h"
#include "base/text.h"
#include "report/run_json.h"

namespace lockstep::report {
namespace {

using SortedJson = nlohmann::json;

// "host07, AMD EPYC, 64 cores": as much of it as is known.
std::string machine_of(const SortedJson& context) {
  std::vector<std::string> parts;
  for (const char* key : {"host_name", "cpu_model"}) {
    if (context.contains(key) && context.at(key).is_string()) parts.push_back(context.at(key));
  }
  if (context.contains("physical_cores")) {
    parts.push_back(fmt::format("{} cores", context.at("physical_cores").get<std::int64_t>()));
  }
  return join(parts, ", ");
}

// What the ranks say of themselves. Their means may have been taken over more steps than those that
// were kept (the unsteady ones), so they are brought to the mean of the kept ones.
// `sums_everywhere`: a step gives every rank the sum of all, as an all-reduce does.
void add_ranks(const SortedJson& ranks, bool sums_everywhere, stats::Launch& launch) {
  if (ranks.empty()) return;
  double step_ms = 0;
  for (const SortedJson& rank : ranks) step_ms += rank.at("step_ms").get<double>();
  const double scale = step_ms > 0 ? launch.step_ms_mean / step_ms : 0;
  const auto mean = [&](const char* key) {
    double sum = 0;
    for (const SortedJson& rank : ranks) sum += rank.at(key).get<double>();
    return scale * sum;
  };
  std::map<std::string, int> devices;  // by host
  for (const SortedJson& rank : ranks) {
    const auto host = rank.at("host").get<std::string>();
    ++devices[host];
    launch.ranks.push_back(
        {host, scale * static_cast<double>(ranks.size()) * rank.at("waiting_ms").get<double>()});
  }
  launch.hosts = static_cast<int>(devices.size());
  launch.devices_per_host = std::ranges::max(devices | std::views::values);
  double bytes = 0;
  for (const SortedJson& bucket : ranks.front().value("buckets", SortedJson::array())) {
    launch.bucket_bytes = std::max(launch.bucket_bytes, bucket.at("bytes").get<std::int64_t>());
    bytes += bucket.at("bytes").get<double>();
  }
  launch.input_ms = mean("input_ms");
  launch.forward_ms = mean("forward_ms");
  launch.backward_ms = mean("backward_ms");
  launch.exchange_ms = mean("exchange_ms");
  launch.update_ms = mean("update_ms");
  launch.waiting_ms = mean("waiting_ms");
  const bool flown = ranks.front().contains("in_flight_ms");  // not in the first files
  const double in_flight = flown ? mean("in_flight_ms") : 0;
  if (in_flight > 0) launch.overlap_pct = 100 * (1 - mean("exposed_ms") / in_flight);
  const bool exchanged = ranks.size() > 1 && in_flight > 0 && mean("bytes_received") > 0;
  if (sums_everywhere && exchanged) {
    const auto world = static_cast<double>(ranks.size());
    launch.busbw_gbps = bytes * 2 * (world - 1) / world / in_flight / 1e6;  // from bytes/ms
  }
  launch.other_ms = launch.step_ms_mean - launch.input_ms - launch.forward_ms - launch.backward_ms -
                    launch.exchange_ms - launch.update_ms;
}

// Earlier files lack what later versions have added.
std::optional<double> if_there(const SortedJson& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || found->is_null()) return std::nullopt;
  return found->get<double>();
}

stats::Launch launch_of(const SortedJson& document) {
  const SortedJson& context = document.at("context");
  const SortedJson& statistics = document.at("statistics");
  const auto number = [&](const char* key) { return statistics.at(key).get<double>(); };
  stats::Launch launch;
  launch.date = context.at("date").get<std::string>();
  const SortedJson& config = document.at("config");
  launch.dataset = config.value("dataset", "");
  launch.image_size = config.value("image_size", 0);
  launch.classes = config.value("num_classes", 0);
  launch.mode = config.value("mode", "");
  launch.machine = machine_of(context);
  launch.warnings = document.at("warnings").get<std::vector<std::string>>();
  launch.images_per_second = number("images_per_s");
  if (!is_speed(launch.images_per_second)) {
    throw Error(ExitCode::usage, fmt::format("a speed of {} images/s", launch.images_per_second));
  }
  if (context.contains("imported")) {
    launch.imported = true;
    launch.program = context.at("imported").at("framework").get<std::string>();
    return launch;
  }
  launch.program = fmt::format("lockstep {}", context.at("lockstep_version").get<std::string>());
  launch.steps_measured = statistics.at("steps_measured").get<std::int64_t>();
  launch.steps_warmup = statistics.at("steps_warmup").get<std::int64_t>();
  launch.steps_cut = statistics.at("steps_cut").get<std::int64_t>();
  launch.step_ms_mean = number("step_ms_mean");
  launch.step_ms_median = number("step_ms_median");
  launch.step_ms_p95 = number("step_ms_p95");
  launch.step_ms_p99 = number("step_ms_p99");
  launch.gflops = number("gflops");
  if (!statistics.at("mfu_pct").is_null()) launch.mfu_pct = number("mfu_pct");
  launch.rss_peak_bytes = statistics.at("rss_peak_bytes").get<std::int64_t>();
  launch.stable = statistics.at("stable").get<bool>();
  launch.all_reduce = config.value("all_reduce_spec", "");
  if (launch.all_reduce.empty()) launch.all_reduce = "auto";
  launch.joules = if_there(statistics, "energy_j");
  launch.joules_per_image = if_there(statistics, "j_per_image");
  launch.cost_per_million_images = if_there(statistics, "cost_per_million_images");
  const bool in_step =
      config.value("exchange", SortedJson::object()).value("cross_replica_sync", true);
  add_ranks(document.at("ranks"), in_step, launch);
  return launch;
}

// A whole run.json, handed to `read`.
template <typename Read>
auto with_document(std::string_view text, Read read) {
  try {
    const SortedJson document = SortedJson::parse(text);
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
    throw Error(ExitCode::usage, fmt::format("not a whole run.json: {}", error.what()));
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

RunFile read_run_json(std::string_view text) {
  return with_document(text, [](const SortedJson& document) -> RunFile {
    const SortedJson& error = document.at("error");
    if (error.is_null()) return launch_of(document);
    return stats::Failure{static_cast<ExitCode>(error.at("exit_code").get<int>()),
                          error.at("message").get<std::string>(),
                          error.at("hint").get<std::string>()};
  });
}

stats::Launch read_launch(const std::filesystem::path& directory) {
  const RunFile file = read_run_json(read_file(directory / "run.json"));
  if (const auto* failure = std::get_if<stats::Failure>(&file)) {
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
    sweep.models = {{config.at("model").get<std::string>(), count(config, "batch_size", 0)}};
    sweep.devices = {ranks > 0 ? ranks : devices};
    sweep.strategies = {exchange.value("variable_update", usual.exchange.variable_update)};
    sweep.num_ps = {exchange.value("num_ps", 0)};
    sweep.data_formats = {config.value("data_format", "auto")};
    sweep.ceiling = false;
    sweep.threads_per_device = config.value("threads_per_device", 0);
    return sweep;
  });
}

}  // namespace lockstep::report
