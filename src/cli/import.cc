#include "cli/import.h"

#include <fmt/chrono.h>
#include <sys/stat.h>

#include <ctime>
#include <filesystem>
#include <map>
#include <utility>

#include "base/check.h"
#include "base/files.h"
#include "base/streams.h"
#include "base/terminal.h"
#include "base/text.h"
#include "cli/import_options.h"
#include "cli/sweep_directory.h"
#include "model/zoo.h"
#include "report/characters.h"
#include "report/import/imported_json.h"
#include "report/import/imported_sweep.h"
#include "report/sweep_report.h"
#include "result/directory.h"

namespace lockstep::cli {
namespace {

namespace fs = std::filesystem;
using report::Imported;
using report::ImportedRun;
using report::ImportInfo;

constexpr std::size_t kLongestFigure = 300;

std::time_t last_change(const std::string& file) {
  struct stat status {};
  return stat(file.c_str(), &status) == 0 ? status.st_mtime : std::time(nullptr);
}

// One launch given twice would look like two that agree perfectly.
void check_each_is_another(const std::vector<std::string>& files) {
  std::map<std::pair<dev_t, ino_t>, std::string> known;
  for (const std::string& file : files) {
    struct stat status {};
    if (stat(file.c_str(), &status) != 0) continue;  // reading it says what is wrong with it
    const auto [other, fresh] = known.emplace(std::pair(status.st_dev, status.st_ino), file);
    if (fresh) continue;
    throw Error(ExitCode::usage,
                other->second == file
                    ? fmt::format("{} is given twice", file)
                    : fmt::format("{} and {} are the same file", other->second, file),
                "a launch counts once");
  }
}

ImportInfo info_of(Arguments arguments, const std::string& file) {
  ImportInfo info{
      .version = LOCKSTEP_VERSION, .argv = {"lockstep", "import"}, .written = last_change(file)};
  info.argv.insert(info.argv.end(), arguments.begin(), arguments.end());
  return info;
}

// The zoo's spelling, so that a network is the same one in all results; others keep theirs.
void spell_as_the_zoo(ImportedRun& run) {
  try {
    run.setup.model = model::find(*run.setup.model, run.setup.dataset.value_or("")).name;
  } catch (const Error&) {
    run.warnings.push_back(
        fmt::format("{} is no model that lockstep knows", report::printable(*run.setup.model)));
  }
}

// The run with the files that it comes from: whoever doubts a figure can look at it there.
void write_launch(const fs::path& directory, const ImportInfo& info, const ImportedRun& run) {
  write_file(directory / "run.json", imported_run_json(info, run));
  for (std::size_t i = 0; i < run.files.size(); ++i) {
    write_file(directory / fmt::format("{}.log", i + 1), read_file(run.files[i]));
  }
}

// Ends in a table of what is there now, as a sweep shows it.
void write_runs(const fs::path& path, Arguments arguments, const std::vector<ImportedRun>& runs) {
  const report::ImportedSweep imported = report::sweep_of(runs);
  SweepDirectory directory(path, imported.sweep, false);
  for (std::size_t r = 0; r < runs.size(); ++r) {
    const spec::Point& point = imported.plan.points[imported.places[r].point];
    const int round = imported.places[r].round;
    write_launch(directory.begin(point, round), info_of(arguments, runs[r].files.front()), runs[r]);
    directory.finish(point, round);
  }
  for (const ImportedRun& run : runs) {
    print_output("{}: {}\n", join(run.files, ", "), report::printable(run.figure, kLongestFigure));
  }
  const result::ResultDirectory written = result::read_results(path);
  LOCKSTEP_CHECK(written.problems.empty());
  print_output("\n{}\n{}\n", report::sweep_table(written.sweep, output_width()), path.string());
}

void write_collectives(const fs::path& path, Arguments arguments, const Imported& imported) {
  std::error_code error;
  fs::create_directories(path, error);  // what is wrong with it, writing says
  for (std::size_t i = 0; i < imported.collectives.size(); ++i) {
    const auto& collectives = imported.collectives[i];
    const fs::path file = path / (i == 0 ? "comm.json" : fmt::format("comm.{}.json", i + 1));
    if (fs::exists(file)) {
      throw Error(ExitCode::usage, fmt::format("{} is there already", file.string()),
                  "choose another --result_dir");
    }
    write_file(file, imported_comm_json(info_of(arguments, collectives.file), collectives));
    print_output("{} of {} on {}: {}\n", counted(std::ssize(collectives.rows), "row"),
                 report::printable(collectives.operation), counted(collectives.ranks, "rank"),
                 file.string());
  }
}

std::string new_import_directory() {
  return fmt::format("results/import-{:%Y%m%d-%H%M%S}", fmt::localtime(std::time(nullptr)));
}

}  // namespace

ExitCode import_results(Arguments arguments, Transports) {
  const ImportCommand command = parse_import(arguments);
  check_each_is_another(command.files);
  std::vector<report::Source> sources;
  for (const std::string& file : command.files) sources.push_back({file, read_file(file)});
  Imported imported = report::import_sources(std::move(sources), command.options);
  for (const std::string& warning : imported.warnings) print_warning(warning);
  for (ImportedRun& run : imported.runs) {
    spell_as_the_zoo(run);
    for (const std::string& warning : run.warnings) {
      print_warning(fmt::format("{}:{}: {}", run.files.front(), run.line, warning));
    }
  }
  const fs::path path =
      fs::absolute(command.result_dir.empty() ? new_import_directory() : command.result_dir);
  if (!imported.runs.empty()) write_runs(path, arguments, imported.runs);
  if (!imported.collectives.empty()) write_collectives(path, arguments, imported);
  return ExitCode::ok;
}

}  // namespace lockstep::cli
