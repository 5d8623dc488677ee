#include "cli/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/files.h"
#include "base/text.h"
#include "cli/help.h"
#include "report/characters.h"
#include "report/evidence.h"
#include "report/notebook.h"
#include "report/report_page.h"
#include "report/tensorboard.h"
#include "spec/vocabulary.h"

namespace lockstep::cli {
namespace {

namespace fs = std::filesystem;
using lockstep::report::Evidence;

struct Options {
  std::vector<std::string> directories;
  fs::path output;
};

std::vector<const spec::Flag*> all_flags() {
  static const spec::Flag output = {
      .name = "output",
      .group = "Output",
      .type = {.kind = spec::Kind::text},
      .help = "directory for the files; not set: report/ in the first directory"};
  return {&output};
}

Options parse(Arguments arguments) {
  const spec::Vocabulary vocabulary("report", all_flags());
  Options options;
  for (const spec::Given& given : vocabulary.read_environment(process_getenv)) {
    options.output = given.text;
  }
  for (const spec::Given& given : vocabulary.read_arguments(arguments, &options.directories)) {
    options.output = given.text;
  }
  if (options.directories.empty()) {
    throw Error(ExitCode::usage, "report needs a directory of results",
                "name what was the --result_dir of lockstep sweep or lockstep run");
  }
  if (options.output.empty()) options.output = fs::path(options.directories.front()) / "report";
  return options;
}

struct Loaded {
  Evidence evidence;
  bool all = true;  // of the directories
};
Loaded load(const std::vector<std::string>& directories) {
  Loaded loaded;
  for (const std::string& directory : directories) {
    try {
      add_results(directory, loaded.evidence);
    } catch (const Error& error) {
      if (directory == directories.back() && loaded.evidence.sweeps.empty()) throw;
      loaded.all = false;
      print_warning(error.what());
    }
  }
  for (const std::string& problem : loaded.evidence.problems) print_warning(problem);
  return loaded;
}

void make_directory(const fs::path& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (!error) return;
  throw Error(ExitCode::environment,
              fmt::format("cannot make the directory {}: {}", path.string(), error.message()),
              "--output names another");
}

std::string machines(const Evidence& evidence) {
  std::vector<std::string> lines;
  for (const auto& sweep : evidence.sweeps) {
    if (std::ranges::count(lines, sweep.machine) == 0) lines.push_back(sweep.machine);
  }
  return join(lines, " ");
}

void write(const Evidence& evidence, const fs::path& directory) {
  make_directory(directory);
  const auto put = [&](const std::string& name, const std::string& text) {
    write_file(directory / name, text);
    fmt::print("{}\n", (directory / name).string());
  };
  put("report.html", lockstep::report::report_page(evidence));
  put("report.ipynb", notebook(evidence));
  put("report.md", report_markdown(evidence));
  put("results.csv", lockstep::report::results_csv(evidence.sweeps));
  for (const auto& file : event_files(evidence)) {
    const fs::path run = directory / "tensorboard" / file.run;
    make_directory(run);
    write_file(run / file.name, file.content);
  }
  fmt::print("{}\n", (directory / "tensorboard").string());
  for (const auto& figure : figures(evidence)) {
    put(figure.name + ".svg", svg_file(figure, machines(evidence)));
  }
}

}  // namespace

ExitCode report(Arguments arguments, Transports) {
  const Options options = parse(arguments);
  const Loaded loaded = load(options.directories);
  for (const auto& sweep : loaded.evidence.sweeps) {
    if (loaded.evidence.sweeps.size() > 1)
      fmt::print("{}\n\n", lockstep::report::printable(sweep.id));
    fmt::print("{}\n", lockstep::report::sweep_table(sweep));
  }
  write(loaded.evidence, options.output);
  return loaded.all ? ExitCode::ok : ExitCode::usage;
}

std::string report_help(bool) {
  std::string out =
      "usage: lockstep report DIR ... [--output=DIR]\n\n"
      "Draws a report from results alone: those that lockstep sweep or lockstep run have left in\n"
      "directories, also in earlier years or on other machines. Prints a table and writes\n\n"
      "  report.html   how fast, how well it scales, what is lost to what, what to try next: one\n"
      "                file, to be opened with any browser\n"
      "  report.md     the table in Markdown\n"
      "  report.ipynb  a Jupyter notebook with the figures and the code to draw others\n"
      "  results.csv   all figures with their intervals, see docs/formats.md\n"
      "  tensorboard/  the same and step times, for tensorboard --logdir\n"
      "  *.svg         throughput, speed_up, efficiency, step_time, waiting, steps; collectives "
      "where\n"
      "                a directory has what lockstep comm --json printed in files comm*.json\n\n"
      "examples:\n"
      "  lockstep report results/sweep-20261116-080000\n"
      "  lockstep report results/monday results/tuesday --output=both\n"
      "      several in one; lockstep compare says which is faster\n";
  out += "\nOutput:\n";
  for (const spec::Flag* flag : all_flags()) out += flag_help(*flag);
  return out +
         "\nexit codes: 0 done, 2 wrong usage or a directory without results (the others are "
         "reported),\n3 the files cannot be written\n";
}

}  // namespace lockstep::cli
