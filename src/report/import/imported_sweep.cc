#include "report/import/imported_sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/check.h"
#include "base/error.h"
#include "base/text.h"
#include "report/characters.h"
#include "spec/flags.h"
#include "spec/strategies.h"

namespace lockstep::report {
namespace {

constexpr std::size_t kLongestModel = 60;  // it is part of a directory's name
constexpr std::size_t kMostPoints = 4096;

std::string where(const ImportedRun& run) {
  return fmt::format("{}:{}", run.files.front(), run.line);
}

// What stands in lists of names and behind colons in a sweep.json.
void check_model(const ImportedRun& run) {
  const std::string& model = *run.setup.model;
  const bool plain =
      std::ranges::all_of(model, [](char c) { return c > ' ' && c < 127 && c != ',' && c != ':'; });
  if (plain && !model.empty() && model.size() <= kLongestModel) return;
  throw Error(
      ExitCode::usage, fmt::format("{}: '{}' is no name of a model", where(run), printable(model)),
      fmt::format("--model=NAME gives it one of at most {} letters, digits and signs, without "
                  "spaces, commas and colons",
                  kLongestModel));
}

std::string strategy_of(const ImportedRun& run) {
  try {
    return std::get<std::string>(
        parse_value(spec::find_flag("variable_update")->type, *run.setup.strategy, "--strategy"));
  } catch (const Error&) {
    throw Error(
        ExitCode::usage,
        fmt::format("{}: '{}' is no way of exchanging gradients that lockstep knows", where(run),
                    printable(*run.setup.strategy)),
        fmt::format("--strategy=NAME: {}", expectation(spec::find_flag("variable_update")->type)));
  }
}

int servers_of(const ImportedRun& run) {
  return spec::find_strategy(strategy_of(run)).served ? run.setup.num_ps.value_or(0) : 0;
}

template <typename Value>
void add(std::vector<Value>& values, const Value& value) {
  if (std::ranges::count(values, value) == 0) values.push_back(value);
}

// The layouts that tell runs apart. Where all have the same one, or do not say it, it does not:
// then points are called like those of a sweep that leaves the layout to the engine.
std::vector<std::string> data_formats_of(std::span<const ImportedRun> runs) {
  std::vector<std::string> formats;
  for (const ImportedRun& run : runs) {
    if (run.setup.data_format) add(formats, *run.setup.data_format);
  }
  if (formats.size() < 2) return {"auto"};
  const bool all =
      std::ranges::all_of(runs, [](const auto& run) { return run.setup.data_format.has_value(); });
  if (!all) formats.emplace_back("auto");
  return formats;
}

std::string data_format_of(const ImportedRun& run, const spec::Sweep& sweep) {
  return sweep.data_formats.size() == 1 ? sweep.data_formats.front()
                                        : run.setup.data_format.value_or("auto");
}

// A sweep has every combination: runs that have little in common make a large one.
void check_size(const spec::Sweep& sweep, std::size_t runs) {
  const std::size_t points = sweep.models.size() * sweep.devices.size() * sweep.strategies.size() *
                             sweep.num_ps.size() * sweep.data_formats.size();
  if (points <= kMostPoints) return;
  throw Error(ExitCode::usage,
              fmt::format("these {} runs are of {} on {} of devices: as a sweep "
                          "that would be {} points",
                          runs, counted(std::ssize(sweep.models), "network"),
                          counted(std::ssize(sweep.devices), "number"), points),
              "import fewer files at once, each time into a --result_dir of their own");
}

spec::Sweep around(std::span<const ImportedRun> runs) {
  spec::Sweep sweep;
  sweep.strategies.clear();
  sweep.num_ps.clear();
  sweep.data_formats = data_formats_of(runs);
  sweep.ceiling = false;
  sweep.repeats = 1;
  for (const ImportedRun& run : runs) {
    check_model(run);
    add(sweep.models, {*run.setup.model, *run.setup.batch_size});
    add(sweep.devices, *run.setup.devices);
    add(sweep.strategies, strategy_of(run));
    add(sweep.num_ps, servers_of(run));
  }
  std::ranges::sort(sweep.devices);
  std::ranges::sort(sweep.num_ps);
  check_size(sweep, runs.size());
  return sweep;
}

std::size_t point_of(const ImportedRun& run, const spec::Sweep& sweep, const spec::Plan& plan) {
  const auto found = std::ranges::find_if(plan.points, [&](const spec::Point& point) {
    return point.model == *run.setup.model && point.batch_size == *run.setup.batch_size &&
           point.devices == *run.setup.devices && point.strategy == strategy_of(run) &&
           point.num_ps == servers_of(run) && point.data_format == data_format_of(run, sweep);
  });
  LOCKSTEP_CHECK(found != plan.points.end());
  return static_cast<std::size_t>(found - plan.points.begin());
}

// How long a run is, and what its devices are called, may differ from launch to launch.
std::map<std::string, std::string> description(const ImportedRun& run) {
  std::map<std::string, std::string> what = {
      {"framework", run.framework},
      {"dataset", run.setup.dataset.value_or("")},
      {"mode", run.setup.mode.value_or("")},
      {"optimizer", run.setup.optimizer.value_or("")},
  };
  for (const auto& [label, value] : run.header) {
    if (label != "Num batches" && label != "Num epochs" && label != "Devices") what[label] = value;
  }
  return what;
}

void check_same(const ImportedRun& first, const ImportedRun& other) {
  const auto before = description(first);
  const auto now = description(other);
  std::set<std::string> keys;
  for (const auto* side : {&before, &now}) {
    for (const auto& [key, value] : *side) keys.insert(key);
  }
  for (const std::string& key : keys) {
    const std::string a = before.contains(key) ? before.at(key) : "";
    const std::string b = now.contains(key) ? now.at(key) : "";
    if (a == b) continue;
    throw Error(ExitCode::usage,
                fmt::format("{} and {} are launches of one point, but for their {}: '{}' and '{}'",
                            where(first), where(other), printable(key), printable(a), printable(b)),
                "import each into a --result_dir of its own");
  }
}

}  // namespace

ImportedSweep sweep_of(std::span<const ImportedRun> runs) {
  ImportedSweep imported{.sweep = around(runs), .plan = {}, .places = {}};
  imported.plan = spec::expand(imported.sweep);
  std::map<std::size_t, std::vector<const ImportedRun*>> launches;
  for (const ImportedRun& run : runs) {
    const std::size_t point = point_of(run, imported.sweep, imported.plan);
    auto& before = launches[point];
    if (!before.empty()) check_same(*before.front(), run);
    imported.places.push_back({.point = point, .round = static_cast<int>(before.size())});
    before.push_back(&run);
    imported.sweep.repeats = std::max(imported.sweep.repeats, static_cast<int>(before.size()));
  }
  return imported;
}

}  // namespace lockstep::report
