#include "cli/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/files.h"
#include "base/streams.h"
#include "base/terminal.h"
#include "base/text.h"
#include "cli/figure_formats.h"
#include "cli/help.h"
#include "cli/report_files.h"
#include "report/characters.h"
#include "report/conclusions.h"
#include "report/evidence.h"
#include "spec/vocabulary.h"

namespace lockstep::cli {
namespace {

namespace fs = std::filesystem;
using lockstep::report::Evidence;

struct ReportOptions {
  std::vector<std::string> directories;
  fs::path output;
  std::vector<std::string> formats;  // beside SVG
};

std::vector<const spec::Flag*> report_flags() {
  static const spec::Flag output = {
      .name = "output",
      .group = "Output",
      .type = {.kind = spec::Kind::text},
      .help = "directory for the files; not set: report/ in the first directory"};
  static const spec::Flag formats = {
      .name = "formats",
      .group = "Output",
      .type = {.kind = spec::Kind::list, .default_text = "svg"},
      .help = "of the figures: svg, which is always there, png, pdf"};
  return {&output, &formats};
}

std::vector<std::string> parse_formats(const spec::Given& given) {
  std::vector<std::string> formats = split(lower(given.text), ',');
  std::erase(formats, "svg");
  std::ranges::sort(formats);
  formats.erase(std::ranges::unique(formats).begin(), formats.end());
  for (const std::string& format : formats) {
    if (std::ranges::count(kFigureFormats, format) == 1) continue;
    throw Error(ExitCode::usage, fmt::format("{}: expected svg, png or pdf", given.shown));
  }
  return formats;
}

ReportOptions parse_report(Arguments arguments) {
  const spec::Vocabulary vocabulary("report", report_flags());
  ReportOptions options;
  const auto apply = [&](const spec::Given& given) {
    if (given.flag->name == "formats") {
      options.formats = parse_formats(given);
    } else {
      options.output = given.text;
    }
  };
  for (const spec::Given& given : vocabulary.read_environment(process_getenv)) apply(given);
  for (const spec::Given& given : vocabulary.read_arguments(arguments, &options.directories)) {
    apply(given);
  }
  if (options.directories.empty()) {
    throw Error(ExitCode::usage, "report needs a directory of results",
                "name what was the --result_dir of lockstep sweep or lockstep run");
  }
  if (options.output.empty()) options.output = fs::path(options.directories.front()) / "report";
  return options;
}

struct LoadedEvidence {
  Evidence evidence;
  bool all = true;  // of the directories
};
LoadedEvidence load_evidence(const std::vector<std::string>& directories) {
  LoadedEvidence loaded;
  for (const std::string& directory : directories) {
    try {
      add_results(directory, loaded.evidence);
    } catch (const Error& error) {
      const bool nothing = loaded.evidence.sweeps.empty() && loaded.evidence.collectives.empty();
      if (directory == directories.back() && nothing) throw;
      loaded.all = false;
      print_warning(error.what());
    }
  }
  for (const std::string& problem : loaded.evidence.problems) print_warning(problem);
  return loaded;
}

}  // namespace

ExitCode report(Arguments arguments, Transports) {
  const ReportOptions options = parse_report(arguments);
  const LoadedEvidence loaded = load_evidence(options.directories);
  for (const auto& sweep : loaded.evidence.sweeps) {
    if (loaded.evidence.sweeps.size() > 1)
      print_output("{}\n\n", lockstep::report::printable(sweep.id));
    print_output("{}\n", lockstep::report::sweep_table(sweep, output_width()));
  }
  for (const std::string& sentence : report::conclusions(loaded.evidence.sweeps)) {
    print_output("{}\n", join(wrap(sentence, output_width()), "\n"));
  }
  write_report(loaded.evidence, options.output, options.formats,
               [](const fs::path& path) { print_output("{}\n", path.string()); });
  return loaded.all ? ExitCode::ok : ExitCode::usage;
}

std::string report_help(bool) {
  const std::string out =
      "usage: lockstep report DIR ... [--flag=value ...]\n\n"
      "Draws a report from results alone: those that lockstep sweep or lockstep run have left in\n"
      "directories, also in earlier years or on other machines. Prints a table and writes\n\n"
      "  report.html   how fast, how well it scales, what is lost to what, what to try next: one\n"
      "                file, to be opened with any browser\n"
      "  report.md     the verdicts and the table in Markdown\n"
      "  report.tex    the same for LaTeX, with booktabs\n"
      "  report.ipynb  a Jupyter notebook with the figures and the code to draw others\n"
      "  results.csv   all figures with their intervals, see docs/formats.md\n"
      "  summary.csv   the most important ones, for a spreadsheet\n"
      "  tensorboard/  the same and step times, for tensorboard --logdir\n"
      "  *.svg         throughput, speed_up, efficiency, step_time, waiting, steps; io_overhead "
      "of a\n"
      "                sweep with --inputs; collectives where a directory has what lockstep comm\n"
      "                --json printed in files comm*.json\n\n"
      "examples:\n"
      "  lockstep report results/sweep-20261116-080000\n"
      "  lockstep report results/monday results/tuesday --output=both\n"
      "      several in one; lockstep compare says which is faster\n"
      "  lockstep report results/monday --formats=png,pdf\n";
  return out + flags_help(report_flags()) +
         "\nexit codes: 0 done, 2 wrong usage or a directory without results (the others are "
         "reported),\n3 files cannot be written, or figures not as PNG or PDF without rsvg-convert "
         "(of Debian's\nlibrsvg2-bin)\n";
}

}  // namespace lockstep::cli
