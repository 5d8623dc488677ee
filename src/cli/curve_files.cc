#include "cli/curve_files.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "base/error.h"
#include "base/files.h"
#include "base/streams.h"
#include "base/text.h"
#include "cli/command_line.h"
#include "report/device_text.h"
#include "report/speed_curve.h"

namespace lockstep::cli {
namespace {

namespace fs = std::filesystem;
using report::SpeedCurve;

constexpr std::string_view kPrefix = "csv_";

std::string own_folder() {
  return fmt::format("{}{}", kPrefix, report::kOwnFramework);
}

// What is in the directory, by name; nothing where it cannot be read.
std::vector<fs::path> sorted(const fs::path& directory) {
  std::vector<fs::path> paths;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(directory, error)) paths.push_back(entry.path());
  std::ranges::sort(paths);
  return paths;
}

// The curve in the file, or nothing and a warning.
std::optional<std::map<int, double>> speeds_in(const fs::path& file) {
  try {
    if (auto speeds = report::parse_curve_csv(read_file(file))) return speeds;
    print_warning(fmt::format("{} is not drawn: its lines are not 'devices,images per second'",
                              file.string()));
  } catch (const Error& error) {
    print_warning(error.what());
  }
  return std::nullopt;
}

// Curves of the networks that were measured now, from the directories of other frameworks.
std::vector<SpeedCurve> curves_of_others(const fs::path& directory,
                                         const std::vector<SpeedCurve>& own) {
  std::vector<SpeedCurve> curves;
  for (const fs::path& folder : sorted(directory)) {
    const std::string name = folder.filename().string();
    if (!name.starts_with(kPrefix) || name == own_folder()) continue;
    for (const fs::path& file : sorted(folder)) {
      if (file.extension() != ".csv") continue;
      SpeedCurve curve{.name = file.stem().string(), .framework = name.substr(kPrefix.size())};
      const auto ours = [&](const SpeedCurve& mine) { return same_network(curve, mine); };
      if (std::ranges::none_of(own, ours)) continue;
      if (const auto speeds = speeds_in(file)) {
        curve.speeds = *speeds;
        curves.push_back(std::move(curve));
      }
    }
  }
  return curves;
}

// "lenet_b2 on 2 devices: 1 launch".
std::string progress_line(const result::SweepResults& report, const spec::Row& row) {
  const stats::PointRecord& record = report.records[row.point];
  const auto launches =
      std::ranges::count_if(record.launches, [](const auto& launch) { return launch.has_value(); });
  const std::string came = !record.failure.empty() ? "failed"
                           : launches == 0         ? "not measured"
                                                   : counted(launches, "launch");
  return fmt::format("{} on {}: {}\n", report::curve_name(report.plan, row),
                     counted(report.plan.points[row.point].devices, "device"), came);
}

// Which numbers of devices have all their tests, and which tests lack something. Nothing is called
// complete where launches were still to come.
void print_progress(const result::SweepResults& report, bool complete) {
  std::set<int> done, lacking;
  std::string lines;
  for (const spec::Row& row : report.plan.rows) {
    if (!report::is_of_curve(row)) continue;
    const bool measured = stats::status(report.records[row.point]) == stats::Status::measured;
    (measured ? done : lacking).insert(report.plan.points[row.point].devices);
    if (!complete || !measured) lines += progress_line(report, row);
  }
  for (const int devices : lacking) done.erase(devices);
  const std::string device = report::device_text(report);
  if (complete) {
    print_output("Completed tests on {} devices{}\n",
                 done.empty() ? "no" : fmt::format("{}", fmt::join(done, ", ")),
                 device.empty() ? "" : fmt::format(" (a device: {})", device));
  }
  if (!lines.empty()) {
    print_output("{}:\n{}", complete ? "Not completed" : "Ended early, with", lines);
  }
}

void print_summary(const result::SweepResults& report, bool complete,
                   const std::vector<fs::path>& tables, const fs::path& drawing) {
  print_output("\nSummary:\n");
  print_progress(report, complete);
  print_output("Data available in:\n");
  for (const fs::path& table : tables) print_output("{}\n", table.lexically_normal().string());
  print_output("Data plotted in graph: {}\n", drawing.lexically_normal().string());
}

}  // namespace

void prepare_curve_files(const fs::path& directory, const spec::Plan& plan) {
  if (std::ranges::none_of(plan.rows,
                           [](const auto& row) { return row.scaling == spec::Scaling::weak; })) {
    throw Error(ExitCode::usage, "--curves_dir needs weak scaling",
                "its files are named by the batch of a device; leave --scaling=strong out");
  }
  for (const std::string& folder : {std::string("logs"), own_folder()}) {
    std::error_code error;
    fs::create_directories(directory / folder, error);
    if (error) {
      throw Error(ExitCode::environment,
                  fmt::format("cannot make the directory {}: {}", (directory / folder).string(),
                              error.message()),
                  "choose another --curves_dir");
    }
  }
}

void write_curve_files(const fs::path& directory, const result::SweepResults& report,
                       bool complete) {
  const std::string footer = report::device_sentence({&report, 1}) + " " + report.machine;
  const std::vector<SpeedCurve> curves = report::speed_curves(report);
  std::vector<fs::path> tables;
  for (const SpeedCurve& curve : curves) {
    const std::string csv = curve.name + ".csv";
    const fs::path logs = directory / "logs";
    tables.push_back(directory / own_folder() / csv);
    write_file(logs / csv, report::curve_csv(curve));
    write_file(logs / (csv + ".ideal"), report::ideal_csv(curve));
    write_file(logs / (curve.name + ".svg"), report::curve_svg(curve, footer));
    write_file(tables.back(), report::curve_csv(curve));
  }
  const std::vector<SpeedCurve> others = curves_of_others(directory, curves);
  std::vector<SpeedCurve> all = curves;
  all.insert(all.end(), others.begin(), others.end());
  const fs::path drawing = directory / "comparison_graph.svg";
  write_file(drawing, report::comparison_svg(
                          all, "Deep Learning Frameworks - Performance Comparison", footer));
  print_summary(report, complete, tables, drawing);
}

}  // namespace lockstep::cli
