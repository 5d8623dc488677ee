#include "cli/compare.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/files.h"
#include "base/streams.h"
#include "base/terminal.h"
#include "cli/help.h"
#include "cli/load_results.h"
#include "report/collectives.h"
#include "report/comparison.h"
#include "result/directory.h"
#include "spec/vocabulary.h"
#include "stats/side_by_side.h"

namespace lockstep::cli {
namespace {

using result::SweepResults;
using spec::Flag;

struct CompareOptions {
  std::vector<std::string> directories;
  double min_effect = kMinEffect;
  std::string graph = "comparison_graph.svg";
};

std::vector<const Flag*> compare_flags() {
  static const Flag graph = {
      .name = "graph",
      .group = "Output",
      .type = {.kind = spec::Kind::text, .default_text = "comparison_graph.svg"},
      .help = "file for the drawing"};
  return {&min_effect_flag(), &graph};
}

CompareOptions parse_compare(Arguments arguments) {
  const spec::Vocabulary vocabulary("compare", compare_flags());
  CompareOptions options;
  const auto apply = [&](const spec::Given& given) {
    if (given.flag->name == "graph") {
      options.graph = given.text;
    } else {
      options.min_effect = parse_min_effect(given.text, given.shown);
    }
  };
  for (const spec::Given& given : vocabulary.read_environment(process_getenv)) apply(given);
  for (const spec::Given& given : vocabulary.read_arguments(arguments, &options.directories)) {
    apply(given);
  }
  if (options.directories.size() < 2) {
    throw Error(ExitCode::usage, "compare needs directories of results, two or more",
                "lockstep compare A B");
  }
  return options;
}

// Those that can be read; of the others, the error.
struct LoadedReports {
  std::vector<result::SweepResults> reports;
  bool all = true;
};
LoadedReports load_reports(const std::vector<std::string>& directories) {
  LoadedReports loaded;
  for (const std::string& directory : directories) {
    try {
      result::SweepResults report = load_results(directory).sweep;
      // Two of the same name are told apart by where they are.
      const auto same = [&](const result::SweepResults& other) { return other.id == report.id; };
      if (std::ranges::any_of(loaded.reports, same)) report.id = directory;
      loaded.reports.push_back(std::move(report));
    } catch (const Error& error) {
      if (directory == directories.back() && loaded.reports.empty()) throw;
      loaded.all = false;
      print_warning(error.what());
    }
  }
  return loaded;
}

// Whether a directory has what `lockstep comm --json` measured, or nccl-tests, and no training.
bool holds_collectives_alone(const std::string& directory) {
  std::vector<std::string> ignored;
  return !result::holds_results(directory) && !report::read_collectives(directory, ignored).empty();
}

ExitCode compare_collectives(const CompareOptions& options) {
  std::vector<report::Collectives> all;
  bool whole = true;
  for (const std::string& directory : options.directories) {
    std::vector<std::string> problems;
    const auto found = report::read_collectives(directory, problems);
    if (found.empty()) problems.push_back(fmt::format("{} holds no collectives", directory));
    for (const std::string& problem : problems) print_warning(problem);
    whole = whole && !found.empty();
    all.insert(all.end(), found.begin(), found.end());
  }
  print_output("{}", report::collectives_table(all, output_width()));
  write_file(options.graph, report::svg_file(report::collectives_comparison(all), ""));
  print_output("\n{}\n", options.graph);
  return whole ? ExitCode::ok : ExitCode::usage;
}

std::vector<stats::Contender> contenders_of(const std::vector<result::SweepResults>& reports) {
  std::vector<stats::Contender> contenders;
  for (const result::SweepResults& report : reports) {
    contenders.push_back({report.id, {report.plan, report.records}, report.rows});
  }
  return contenders;
}

}  // namespace

ExitCode compare(Arguments arguments, Transports) {
  const CompareOptions options = parse_compare(arguments);
  if (std::ranges::any_of(options.directories, holds_collectives_alone)) {
    return compare_collectives(options);
  }
  const LoadedReports loaded = load_reports(options.directories);
  const auto rows = stats::side_by_side(contenders_of(loaded.reports), options.min_effect);
  const report::Comparison comparison{loaded.reports, rows, options.min_effect};
  print_output("{}", report::comparison_table(comparison, output_width()));
  write_file(options.graph, report::comparison_graph(comparison));
  print_output("\n{}\n", options.graph);
  return loaded.all ? ExitCode::ok : ExitCode::usage;
}

std::string compare_help(bool) {
  const std::string out =
      "usage: lockstep compare DIR DIR ... [--flag=value ...]\n\n"
      "Puts results side by side: of several machines, strategies, versions or days. The\n"
      "directories are those of sweeps or runs. Prints a table, in which the others are compared "
      "with\n"
      "the first, and draws all speed-ups. Below the table it says what differs (strategy,\n"
      "processors of the machine). What does not compare (another network, batch, scaling, number "
      "of\n"
      "classes, threads per device on one machine) has no verdict, but the reason.\n\n"
      "Directories of collectives (files comm*.json of lockstep comm --json, imported nccl-tests) "
      "are\n"
      "compared by their bandwidths.\n\n"
      "examples:\n"
      "  lockstep compare results/old_machine results/new_machine\n"
      "  lockstep compare results/monday results/tuesday results/wednesday --graph=week.svg\n"
      "  lockstep compare results/nccl results/comm\n";
  return out + flags_help(compare_flags()) +
         "\nexit codes: 0 done, 2 wrong usage, or a directory without results (the others are "
         "compared)\n";
}

}  // namespace lockstep::cli
