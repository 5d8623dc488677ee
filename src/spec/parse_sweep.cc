#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>

#include "base/error.h"
#include "spec/strategies.h"
#include "spec/sweep_flags.h"
#include "spec/sweep_yaml.h"
#include "spec/vocabulary.h"

namespace lockstep::spec {
namespace {

using SweepSettings = std::map<const Flag*, Given>;

const Vocabulary& sweep_vocabulary() {
  static const Vocabulary words = [] {
    std::vector<const Flag*> all;
    for (const SweepFlag& own : sweep_flags()) all.push_back(&own.flag);
    for (const Flag& flag : flags()) all.push_back(&flag);
    return Vocabulary("sweep", std::move(all));
  }();
  return words;
}

// Letters alone find the flag of run (-m: model); the sweep's own of that name is meant.
const Flag* meant(const Given& given) {
  return sweep_vocabulary().find(given.flag->name);
}

bool is_own(const Flag* flag) {
  return std::ranges::any_of(sweep_flags(),
                             [&](const SweepFlag& own) { return &own.flag == flag; });
}

std::optional<std::string> text_of(const SweepSettings& settings, std::string_view name) {
  const auto found = settings.find(sweep_vocabulary().find(name));
  if (found == settings.end() || found->second.text.empty()) return std::nullopt;
  return found->second.text;
}

bool is_true(const SweepSettings& settings, std::string_view name) {
  const auto found = settings.find(sweep_vocabulary().find(name));
  if (found == settings.end()) return false;
  return std::get<bool>(parse_value(found->first->type, found->second.text, found->second.shown));
}

// The file that stands below the command line and the environment.
std::optional<std::string> file_of(const SweepSettings& settings) {
  auto file = text_of(settings, "spec");
  if (!is_true(settings, "resume")) return file;
  const auto directory = text_of(settings, "result_dir");
  if (!directory) {
    throw Error(ExitCode::usage, "--resume needs --result_dir",
                "name the directory of the sweep to go on with");
  }
  if (file) return file;
  return (std::filesystem::path(*directory) / "sweep.json").string();
}

void pass_on(const Given& given, ParsedSweep& parsed) {
  const Flag& flag = *given.flag;
  if (set_by_sweep(flag)) {
    throw Error(ExitCode::usage, fmt::format("{}: a sweep's launcher decides that", given.shown),
                "lockstep sweep --help shows how to name hosts");
  }
  // A mistake is found before anything runs; whether flags go together, `run` says for each point.
  parse_value(flag.type, given.text, given.shown);
  parsed.sweep.run_flags[std::string(flag.name)] = given.text;
}

void check_inputs(const Sweep& sweep) {
  if (sweep.inputs.empty()) return;
  const bool synthetic_alone = sweep.inputs == std::vector{InputKind::synthetic};
  if (!synthetic_alone && !sweep.run_flags.contains("data_dir")) {
    throw Error(ExitCode::usage, "--inputs: cached and real images need --data_dir",
                "name the directory of a dataset; lockstep data make makes one");
  }
  if (sweep.run_flags.contains("datasets_repeat_cached_sample")) {
    throw Error(ExitCode::usage, "--datasets_repeat_cached_sample and --inputs exclude each other",
                "--inputs=cached is the same");
  }
}

void warn_of_servers_without_effect(ParsedSweep& parsed) {
  const Sweep& sweep = parsed.sweep;
  if (std::ranges::max(sweep.num_ps) == 0 ||
      std::ranges::any_of(sweep.strategies, [](const std::string& strategy) {
        return find_strategy(strategy).served;
      })) {
    return;
  }
  parsed.warnings.push_back(
      fmt::format("--num_ps={} has no effect: none of --strategies={} has "
                  "parameter servers",
                  fmt::join(sweep.num_ps, ","), fmt::join(sweep.strategies, ",")));
}

}  // namespace

ParsedSweep parse_sweep(std::span<const std::string> args, const Getenv& getenv,
                        std::span<const std::string> variables, const ReadFile& read) {
  SweepSettings settings;
  for (const Given& given : sweep_vocabulary().read_environment(getenv))
    settings[meant(given)] = given;
  for (const Given& given : sweep_vocabulary().read_arguments(args)) settings[meant(given)] = given;
  if (const auto file = file_of(settings)) {
    for (const Given& given : read_yaml(read(*file), *file, sweep_vocabulary())) {
      settings.try_emplace(meant(given), given);
    }
  }
  ParsedSweep parsed;
  parsed.warnings = sweep_vocabulary().unknown_variables(variables);
  parsed.variables = sweep_vocabulary().known_variables(variables);
  for (const SweepFlag& own : sweep_flags()) {
    const auto found = settings.find(&own.flag);
    if (found == settings.end() || found->second.text.empty()) continue;
    const Given& given = found->second;
    const Value value = parse_value(own.flag.type, given.text, given.shown);
    if (own.apply != nullptr) own.apply(parsed, value, given.shown);
    if (own.site) parsed.sweep.site[std::string(own.flag.name)] = given.text;
  }
  for (const auto& [flag, given] : settings) {
    if (!is_own(flag)) pass_on(given, parsed);
  }
  check_inputs(parsed.sweep);
  warn_of_servers_without_effect(parsed);
  return parsed;
}

}  // namespace lockstep::spec
