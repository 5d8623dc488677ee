#include "result/directory.h"

#include <algorithm>
#include <map>
#include <system_error>
#include <tuple>
#include <utility>

#include "base/characters.h"
#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "result/run_file.h"
#include "result/run_json.h"
#include "spec/sweep_flags.h"

namespace lockstep::result {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFailed = ".failed";
constexpr std::size_t kLongestComplaint = 300;  // of what a damaged file makes a parser say

std::vector<fs::path> entries(const fs::path& directory) {
  std::vector<fs::path> paths;
  std::error_code none;  // nothing was launched yet
  for (const auto& entry : fs::directory_iterator(directory, none)) paths.push_back(entry.path());
  std::ranges::sort(paths);
  return paths;
}

std::string name_of(const fs::path& directory) {
  const fs::path path = fs::absolute(directory).lexically_normal();
  return (path.has_filename() ? path : path.parent_path()).filename().string();
}

std::string problem(const fs::path& file, const Error& error) {
  return fmt::format("{} is left out: {}; expected a whole run.json of version {}",
                     printable(file.string(), kLongestComplaint),
                     printable(error.what(), kLongestComplaint), kRunVersion);
}

// Why the last attempt at a launch failed, as far as it can still be told.
Failure failure_in(const fs::path& directory) {
  try {
    const RunFile file = read_run_json(read_file(directory / "run.json"));
    if (const auto* failure = std::get_if<Failure>(&file)) return *failure;
  } catch (const Error&) {  // it ended before it could write one
  }
  return {ExitCode::rank_failed, fmt::format("its logs are in {}", directory.string()), ""};
}

stats::PointRecord read_point(const fs::path& directory, const spec::Point& point,
                              std::vector<std::string>& problems) {
  stats::PointRecord record;
  for (const int round : rounds_in(directory)) {
    const fs::path launch = directory / fmt::format("{}", round + 1);
    try {
      stats::Launch numbers = read_launch(launch, point);
      const auto index = static_cast<std::size_t>(round);
      if (record.launches.size() <= index) record.launches.resize(index + 1);
      record.launches[index] = std::move(numbers);
    } catch (const Error& error) {
      problems.push_back(problem(launch / "run.json", error));
    }
  }
  for (const fs::path& path : entries(directory)) {
    if (path.extension() != kFailed) continue;
    const Failure failure = failure_in(path);
    record.failure = failure.message;
    record.code = failure.code;
  }
  return record;
}

void read_sweep(const fs::path& directory, ResultDirectory& results) {
  results.sweep.plan = spec::expand(sweep_in(directory));
  for (const spec::Point& point : results.sweep.plan.points) {
    results.sweep.records.push_back(
        read_point(directory / "points" / point.id, point, results.problems));
  }
}

void read_run(const fs::path& directory, ResultDirectory& results) {
  const fs::path path = directory / "run.json";
  const std::string text = read_file(path);
  try {
    results.sweep.plan = spec::expand(sweep_of_run(text));
    const RunFile file = read_run_json(text);
    stats::PointRecord record;
    if (const auto* launch = std::get_if<stats::Launch>(&file)) {
      record.launches = {*launch};
    } else {
      const auto& failure = std::get<Failure>(file);
      record = {.failure = failure.message, .code = failure.code};
    }
    results.sweep.records = {record};
  } catch (const Error& error) {
    throw Error(ExitCode::usage, problem(path, error));
  }
}

// Files of others need not have every combination of what they have. Then a configuration's
// speed-ups refer to the smallest count that it has by the same program.
void leave_out_gaps(SweepResults& report) {
  spec::Plan& plan = report.plan;
  std::erase_if(plan.rows, [&](const spec::Row& row) {
    return status(report.records[row.point]) == stats::Status::not_measured;
  });
  using Curve = std::tuple<std::string, int, std::string, int, std::string, std::string>;
  std::map<Curve, std::size_t> smallest;
  for (spec::Row& row : plan.rows) {  // by devices
    const spec::Point& point = plan.points[row.point];
    const stats::Launch* launch = stats::first_launch(report.records[row.point]);
    const Curve curve = {point.model,  row.series_batch,  point.strategy,
                         point.num_ps, point.data_format, launch != nullptr ? launch->program : ""};
    row.baseline = smallest.emplace(curve, row.point).first->second;
  }
}

bool imported(std::span<const stats::PointRecord> records) {
  return std::ranges::any_of(records, [](const stats::PointRecord& record) {
    const stats::Launch* launch = stats::first_launch(record);
    return launch != nullptr && launch->imported;
  });
}

std::string machine_line(std::span<const stats::PointRecord> records) {
  for (const stats::PointRecord& record : records) {
    if (const stats::Launch* launch = stats::first_launch(record)) {
      return launch->machine.empty() ? launch->program + '.'
                                     : fmt::format("{} on {}.", launch->program, launch->machine);
    }
  }
  return {};
}

}  // namespace

spec::Sweep sweep_in(const fs::path& directory) {
  const auto no_environment = [](const char*) -> const char* { return nullptr; };
  const std::vector<std::string> arguments = {"--spec=" + (directory / "sweep.json").string()};
  try {
    return spec::parse_sweep(arguments, no_environment, {},
                             [](const std::string& path) { return read_file(path, kLargestSpec); })
        .sweep;
  } catch (const Error& error) {
    throw Error(ExitCode::usage, printable(error.what(), kLongestComplaint),
                fmt::format("expected a whole sweep.json of version {}", spec::kSweepVersion));
  }
}

std::vector<int> rounds_in(const fs::path& directory) {
  std::vector<int> rounds;
  for (const fs::path& path : entries(directory)) {
    const auto number = parse_int(path.filename().string());
    if (number && *number >= 1 && *number <= 1'000'000) {
      rounds.push_back(static_cast<int>(*number) - 1);
    }
  }
  return rounds;
}

bool holds_results(const fs::path& directory) {
  return is_there(directory / "sweep.json") || is_there(directory / "run.json");
}

ResultDirectory read_results(const fs::path& directory) {
  ResultDirectory results;
  SweepResults& report = results.sweep;
  report.id = name_of(directory);
  if (is_there(directory / "sweep.json")) {
    read_sweep(directory, results);
  } else if (is_there(directory / "run.json")) {
    read_run(directory, results);
  }
  if (report.plan.points.empty()) {
    throw Error(ExitCode::usage,
                fmt::format("{} holds no results: expected the sweep.json of a sweep or the "
                            "run.json of a run",
                            printable(directory.string(), kLongestComplaint)),
                "name what was the --result_dir of lockstep sweep or lockstep run");
  }
  if (imported(report.records)) leave_out_gaps(report);
  report.machine = machine_line(report.records);
  report.rows = stats::summarise(report.plan, report.records);
  return results;
}

}  // namespace lockstep::result
