#include "cli/conv_choices.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/cache_directory.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/file_name.h"
#include "base/files.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/command_line.h"
#include "cli/whole_environment.h"
#include "comm/gathered.h"

namespace lockstep::cli {
namespace {

using SortedJson = nlohmann::json;
using engine::ConvAlgorithm;
using engine::ConvChoices;

constexpr auto kSchema = "lockstep-convolutions";
constexpr int kVersion = 1;
constexpr double kSecondsToMeasure = 2.5;  // the last shape begun may take half a second more

using Named = std::pair<std::string_view, ConvAlgorithm>;
constexpr Named kAlgorithms[] = {{"direct", ConvAlgorithm::direct},
                                 {"winograd", ConvAlgorithm::winograd}};

// Throws SortedJson::exception or Error where it is no table of choices.
ConvChoices from_json(const SortedJson& json) {
  ConvChoices choices;
  for (const auto& [shape, name] : json.get<std::map<std::string, std::string>>()) {
    const auto known = std::ranges::find(kAlgorithms, name, &Named::first);
    if (known == std::end(kAlgorithms)) {
      throw Error(ExitCode::usage, fmt::format("no algorithm is called {}", name));
    }
    choices[shape] = known->second;
  }
  return choices;
}

// Writes them, too, what is known of other shapes with them; what came of it.
std::string kept(const ConvCache& cache, ConvChoices known, const ConvChoices& added) {
  known.insert(added.begin(), added.end());
  try {
    cache.write(known);
    return fmt::format("kept in {}", cache.file().string());
  } catch (const Error& e) {
    return fmt::format("not kept: {}", e.what());
  }
}

}  // namespace

std::map<std::string, std::string> names_of(const ConvChoices& choices) {
  std::map<std::string, std::string> names;
  for (const auto& [shape, algorithm] : choices) {
    names[shape] = std::ranges::find(kAlgorithms, algorithm, &Named::second)->first;
  }
  return names;
}

ConvCache::ConvCache(const std::filesystem::path& directory, std::string machine,
                     std::string program)
    : machine_(std::move(machine)), program_(std::move(program)) {
  if (!directory.empty())
    file_ = directory / fmt::format("convolutions-{}.json", file_name(machine_));
}

ConvCache::Known ConvCache::read() const {
  std::error_code none;
  if (!std::filesystem::exists(file_, none)) return {};
  const auto ignored = [&](const std::string& why) {
    return Known{{}, fmt::format("{} is ignored: {}", file_.string(), why)};
  };
  try {
    const SortedJson json = parse_json(read_file(file_));
    if (json.at("schema") != SortedJson{{"name", kSchema}, {"version", kVersion}}) {
      return ignored(fmt::format("it is no {} of version {}", kSchema, kVersion));
    }
    if (json.at("machine") != machine_) return ignored("it was measured on another machine");
    if (json.at("program") != program_) return {};
    return {from_json(json.at("choices")), {}};
  } catch (const SortedJson::exception&) {
    return ignored("it is damaged");
  } catch (const Error& e) {
    return ignored(e.what());
  }
}

void ConvCache::write(const ConvChoices& choices) const {
  if (file_.empty()) throw Error(ExitCode::environment, "neither XDG_CACHE_HOME nor HOME is set");
  const nlohmann::ordered_json json = {{"schema", {{"name", kSchema}, {"version", kVersion}}},
                                       {"machine", machine_},
                                       {"program", program_},
                                       {"choices", names_of(choices)}};
  std::error_code error;
  std::filesystem::create_directories(file_.parent_path(), error);  // else writing says why not
  write_file(file_, json.dump(2) + '\n');
}

ConvChoices choose_convolutions(const Job& job) {
  if (job.trial.conv_algorithm != spec::ConvAlgorithm::automatic) return {};
  engine::Options options = engine_options(job);
  const machine::Environment here = whole_environment();
  const ConvCache cache(
      cache_directory(process_getenv),
      fmt::format("{} {} {}", here.cpu_model, here.instruction_set,
                  counted(job.trial.threads_per_device, "thread")),
      fmt::format("lockstep {} {}, {}", LOCKSTEP_VERSION, here.build, join(here.libraries, ", ")));
  const ConvCache::Known known = cache.read();
  if (!known.warning.empty()) print_warning(known.warning);
  options.conv_choices = known.choices;
  const double start = now();
  ConvChoices choices = engine::choose_convolutions(job.graph, options, kSecondsToMeasure);
  const auto added = std::ranges::count_if(
      choices, [&](const auto& choice) { return !known.choices.contains(choice.first); });
  if (added > 0) {
    print_note(fmt::format("measured how to convolve {}, {}; {}", counted(added, "shape"),
                           human_seconds(now() - start), kept(cache, known.choices, choices)));
  }
  return choices;
}

ConvChoices agree_on_convolutions(const Job& job, comm::Transport& transport) {
  const bool first = transport.rank() == 0;
  const std::string mine = first ? SortedJson(names_of(choose_convolutions(job))).dump() : "";
  const std::string all = transport.broadcast(mine);
  return comm::read_gathered(transport, 0, [&] { return from_json(SortedJson::parse(all)); });
}

}  // namespace lockstep::cli
