#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/streams.h"
#include "base/text.h"
#include "base/unknown_name.h"
#include "cli/catalogues.h"
#include "cli/comm.h"
#include "cli/comm_options.h"
#include "cli/command_line.h"
#include "cli/compare.h"
#include "cli/conv_choices.h"
#include "cli/data.h"
#include "cli/data_options.h"
#include "cli/doctor.h"
#include "cli/doctor_options.h"
#include "cli/flag_listing.h"
#include "cli/gate.h"
#include "cli/gate_options.h"
#include "cli/help.h"
#include "cli/import.h"
#include "cli/import_options.h"
#include "cli/job.h"
#include "cli/models.h"
#include "cli/plan.h"
#include "cli/report.h"
#include "cli/run.h"
#include "cli/sweep.h"
#include "cli/watch.h"
#include "machine/cores.h"
#include "spec/flags.h"

namespace lockstep::cli {
namespace {

// What `lockstep list` lists, in the formats that it offers.
struct Listing {
  std::string_view name;
  std::string (*text)();
  std::string (*json)();
  std::string (*markdown)() = nullptr;
};

template <Catalogue (*list)()>
constexpr Listing listing(std::string_view name) {
  return {
      .name = name, .text = [] { return as_text(list()); }, .json = [] { return as_json(list()); }};
}

constexpr Listing kListings[] = {
    {.name = "models",
     .text = [] { return list_models(false); },
     .json = [] { return list_models(true); }},
    listing<list_strategies>("strategies"),
    listing<list_algorithms>("algorithms"),
    listing<list_transports>("transports"),
    listing<list_launchers>("launchers"),
    listing<list_engines>("engines"),
    listing<list_metrics>("metrics"),
    listing<list_formats>("formats"),
    listing<list_datasets>("datasets"),
    {.name = "flags", .text = list_flags, .json = list_flags_json, .markdown = list_flags_markdown},
};

[[noreturn]] void unexpected(std::string_view verb, std::string_view argument) {
  throw Error(ExitCode::usage, fmt::format("unexpected argument {}", argument),
              fmt::format("lockstep {} --help explains it", verb));
}

ExitCode list(Arguments arguments, Transports) {
  std::vector<std::string> known;
  for (const Listing& listing : kListings) known.emplace_back(listing.name);
  if (arguments.empty()) {
    throw Error(ExitCode::usage, "list needs to know what to list", "known: " + join(known, ", "));
  }
  for (const Listing& listing : kListings) {
    if (listing.name != arguments[0]) continue;
    auto print = listing.text;
    for (const std::string& argument : arguments.subspan(1)) {
      if (argument == "--json") {
        print = listing.json;
      } else if (argument == "--markdown" && listing.markdown != nullptr) {
        print = listing.markdown;
      } else {
        unexpected("list", argument);
      }
    }
    print_output("{}", print());
    return ExitCode::ok;
  }
  throw unknown_name("listing", arguments[0], known);
}

// Behind the model stand run's flags: those that choose its images and classes change what it
// shows.
ExitCode show(Arguments arguments, Transports) {
  if (arguments.empty() || arguments[0].starts_with('-')) {
    throw Error(ExitCode::usage, "show needs a model", "lockstep list models lists them");
  }
  std::vector<std::string> flags(arguments.begin(), arguments.end());
  flags[0] = "--model=" + flags[0];
  const bool json = std::erase(flags, "--json") > 0;
  const bool plan = std::erase(flags, "--plan") > 0;
  const spec::Parsed parsed = spec::parse_run(flags, process_getenv, process_variables());
  for (const std::string& warning : parsed.warnings) print_warning(warning);
  const spec::Trial& trial = parsed.trial;
  if (plan) {
    const Job job = make_job(trial, membership(trial, std::nullopt));
    machine::join_team(job.placement.front());
    engine::Options options = engine_options(job);
    options.conv_choices = choose_convolutions(job);
    print_output("{}", show_plan(engine::compile(job.graph, options)->plan(), json));
    return ExitCode::ok;
  }
  print_output(
      "{}", show_model(model::find(trial.model, trial.dataset),
                       {.image_size = trial.image_size, .num_classes = trial.num_classes}, json));
  return ExitCode::ok;
}

ExitCode version(Arguments arguments, Transports) {
  const bool json = arguments.size() == 1 && arguments[0] == "--json";
  if (!json && !arguments.empty()) unexpected("version", arguments.back());
  if (json) {
    const nlohmann::ordered_json document = {{"name", "lockstep"}, {"version", LOCKSTEP_VERSION}};
    print_output("{}\n", document.dump());
  } else {
    print_output("lockstep {}\n", LOCKSTEP_VERSION);
  }
  return ExitCode::ok;
}

ExitCode help(Arguments arguments, Transports transports) {
  if (arguments.empty()) {
    print_output("{}", program_help());
    return ExitCode::ok;
  }
  if (arguments.size() > 1) unexpected("help", arguments[1]);
  return command_line(std::vector<std::string>{arguments[0], "--help"}, transports);
}

// New verbs stand above `version`.
constexpr Verb kVerbs[] = {
    {"run", "train a network and measure it", run_help, run},
    {"sweep", "measure how it scales over numbers of devices", sweep_help, sweep},
    {"watch", "show the progress of a running sweep", watch_help, watch},
    {"report", "draw figures, tables and a page from results", report_help, report},
    {"compare", "compare results in one table and one graph", compare_help, compare},
    {"gate", "detect performance regressions (for CI)", gate_help, gate},
    {"comm", "measure the collectives alone", comm_help, comm},
    {"doctor", "check hosts for anything that would distort measurements", doctor_help, doctor},
    {"data", "look into datasets, make, convert and copy them", data_help, data_verb,
     data_part_help},
    {"import", "convert results of other benchmarks", import_help, import_results},
    {"list", "list what lockstep knows", list_help, list},
    {"show", "show the layers of a model", show_help, show},
    {"version", "print the version", version_help, version},
    {"help", "explain lockstep or a verb", help_help, help},
};

}  // namespace

std::span<const Verb> verbs() {
  return kVerbs;
}

}  // namespace lockstep::cli
