#include "cli/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/files.h"
#include "base/text.h"
#include "cli/figure_formats.h"
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

std::string machines(const Evidence& evidence) {
  std::vector<std::string> lines;
  for (const auto& sweep : evidence.sweeps) {
    if (std::ranges::count(lines, sweep.machine) == 0) lines.push_back(sweep.machine);
  }
  return join(lines, " ");
}

// An earlier report's, of which TensorBoard would make runs of this one.
void remove_events(const fs::path& directory) {
  std::error_code none;
  for (const auto& run : fs::directory_iterator(directory, none)) {
    if (!fs::is_directory(run.symlink_status(none))) continue;
    for (const auto& file : fs::directory_iterator(run.path(), none)) {
      const std::string name = file.path().filename().string();
      const bool ours = name.starts_with("events.out.tfevents.") && name.ends_with(".lockstep");
      if (ours) fs::remove(file.path(), none);
    }
    fs::remove(run.path(), none);  // unless there is something else in it
  }
}

// Files of an earlier report that this one may not write: nobody shall take them for its own. What
// others have put beside them stays.
void remove_earlier(const fs::path& directory) {
  remove_events(directory / "tensorboard");
  if (!fs::exists(directory / "report.html")) return;
  std::error_code none;
  for (const char* name : {"report.ipynb", "results.csv"}) fs::remove(directory / name, none);
  for (const std::string_view name : lockstep::report::kFigureNames) {
    fs::remove(directory / fmt::format("{}.svg", name), none);
    for (const std::string_view format : kFigureFormats) {
      fs::remove(directory / fmt::format("{}.{}", name, format), none);
    }
  }
}

void write(const Evidence& evidence, const ReportOptions& options) {
  const fs::path& directory = options.output;
  make_directory(directory, "--output names another");
  remove_earlier(directory);
  const auto put = [&](const std::string& name, const std::string& text) {
    write_file(directory / name, text);
    fmt::print("{}\n", (directory / name).string());
  };
  put("report.html", lockstep::report::report_page(evidence));
  put("report.md", report_markdown(evidence));
  if (!evidence.sweeps.empty()) {  // else there are collectives alone
    put("report.ipynb", notebook(evidence));
    put("results.csv", lockstep::report::results_csv(evidence.sweeps));
  }
  const auto events = event_files(evidence);
  for (const auto& file : events) {
    const fs::path run = directory / "tensorboard" / file.run;
    make_directory(run);
    write_file(run / file.name, file.content);
  }
  if (!events.empty()) fmt::print("{}\n", (directory / "tensorboard").string());
  std::vector<std::string> names;
  for (const auto& figure : figures(evidence)) {
    put(figure.name + ".svg", svg_file(figure, machines(evidence)));
    names.push_back(figure.name);
  }
  draw_as(options.formats, names, directory);
  for (const std::string& format : options.formats) {
    for (const std::string& name : names) {
      fmt::print("{}\n", (directory / fmt::format("{}.{}", name, format)).string());
    }
  }
}

}  // namespace

ExitCode report(Arguments arguments, Transports) {
  const ReportOptions options = parse_report(arguments);
  const LoadedEvidence loaded = load_evidence(options.directories);
  for (const auto& sweep : loaded.evidence.sweeps) {
    if (loaded.evidence.sweeps.size() > 1)
      fmt::print("{}\n\n", lockstep::report::printable(sweep.id));
    fmt::print("{}\n", lockstep::report::sweep_table(sweep));
  }
  write(loaded.evidence, options);
  return loaded.all ? ExitCode::ok : ExitCode::usage;
}

std::string report_help(bool) {
  const std::string out =
      "usage: lockstep report DIR ... [--flag=value ...]\n\n"
      "Draws a report from results alone: those that lockstep sweep or lockstep run have left in\n"
      "directories, also in earlier years or on other machines. Prints a table and writes\n\n"
      "  report.html   how fast, how well it scales, what is lost to what, what to try next: one\n"
      "                file, to be opened with any browser\n"
      "  report.md     the table in Markdown\n"
      "  report.ipynb  a Jupyter notebook with the figures and the code to draw others\n"
      "  results.csv   all figures with their intervals, see docs/formats.md\n"
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
