#include "report/sweep_view.h"

#include <sys/stat.h>

#include <algorithm>
#include <limits>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "record/samples_file.h"

namespace lockstep::report {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kRunning = ".running";
constexpr std::size_t kLastSteps = 60;
constexpr std::size_t kCurrentSteps = 10;
// A sweep on another host holds its lock there: then signs of life count.
constexpr std::time_t kPatience = 60;

// 0: there is no such file.
std::time_t changed(const fs::path& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 ? status.st_mtime : 0;
}

fs::path point_directory(const fs::path& directory, const spec::Point& point) {
  return directory / "points" / point.id;
}

// "2.running" of a point's directory, with what rank 0 has written in there.
struct Found {
  fs::path directory;
  RunningLaunch launch;
};

std::optional<Found> find_running(const fs::path& directory, const spec::Plan& plan) {
  for (std::size_t p = 0; p < plan.points.size(); ++p) {
    std::error_code none;
    fs::directory_iterator entry(point_directory(directory, plan.points[p]), none);
    for (; !none && entry != fs::directory_iterator(); entry.increment(none)) {
      if (entry->path().extension() != kRunning) continue;
      const auto number = parse_int(entry->path().stem().string());
      if (!number || *number < 1 || *number > std::numeric_limits<int>::max()) continue;
      return Found{entry->path(), {.point = p, .round = static_cast<int>(*number) - 1}};
    }
  }
  return std::nullopt;
}

void read_steps(const fs::path& file, double images_per_step, RunningLaunch& launch) {
  std::vector<record::Sample> samples;
  try {
    samples = record::read_last_samples(file, kLastSteps);
  } catch (const Error&) {  // not begun yet, or it is gone already
  }
  if (samples.empty()) return;
  launch.steps = samples.back().step + 1;
  for (const record::Sample& sample : samples) {
    const double seconds = sample.end - sample.begin;
    if (seconds > 0) launch.speeds.push_back(images_per_step / seconds);
  }
}

int launches_of(const stats::PointRecord& record) {
  return static_cast<int>(
      std::ranges::count_if(record.launches, [](const auto& launch) { return !!launch; }));
}

// As the sweep itself reckons: from the launches since it was started.
std::optional<double> seconds_left(const fs::path& directory, const spec::Sweep& sweep,
                                   const SweepView& view, std::time_t now) {
  const std::time_t start = changed(directory / "sweep.json");
  std::time_t last = start;
  int launches = 0;
  for (std::size_t p = 0; p < view.report.records.size(); ++p) {
    const auto& record = view.report.records[p];
    for (std::size_t round = 0; round < record.launches.size(); ++round) {
      if (!record.launches[round]) continue;
      const std::time_t end = changed(point_directory(directory, view.report.plan.points[p]) /
                                      std::to_string(round + 1) / "run.json");
      if (end < start) continue;  // of an earlier start
      last = std::max(last, end);
      ++launches;
    }
  }
  if (launches == 0) return std::nullopt;
  const double each = static_cast<double>(last - start) / launches;
  // The launch that runs may end at any moment, but those after it have not begun.
  const int launches_left = view.expected - view.done;
  double left = std::max(each * launches_left - static_cast<double>(now - last),
                         each * std::max(launches_left - 1, 0));
  if (sweep.max_time) left = std::min(left, *sweep.max_time - static_cast<double>(now - start));
  return std::max(left, 0.0);
}

}  // namespace

std::optional<double> current_speed(const SweepView& view) {
  if (!view.running || view.running->speeds.empty()) return std::nullopt;
  const std::vector<double>& speeds = view.running->speeds;
  const std::size_t last = std::min(kCurrentSteps, speeds.size());
  // Images over time: of equal numbers of images that is the harmonic mean.
  double time = 0;
  for (std::size_t i = speeds.size() - last; i < speeds.size(); ++i) time += 1 / speeds[i];
  return static_cast<double>(last) / time;
}

SweepWatch::SweepWatch(const fs::path& directory)
    : directory_(fs::absolute(directory).lexically_normal()) {
  if (!directory_.has_filename()) directory_ = directory_.parent_path();
}

void SweepWatch::read_if_changed() {
  std::error_code none;
  std::vector<fs::file_time_type> now = {fs::last_write_time(directory_ / "sweep.json", none)};
  for (const spec::Point& point : results_.sweep.plan.points) {
    now.push_back(fs::last_write_time(point_directory(directory_, point), none));
  }
  if (now == seen_) return;
  sweep_ = result::sweep_in(directory_);
  results_ = result::read_results(directory_);
  seen_ = std::move(now);
}

SweepView SweepWatch::look(bool locked, std::time_t now) {
  SweepView view{.directory = directory_};
  seen_locked_ = seen_locked_ || locked;
  const bool released = seen_locked_ && !locked;  // by a process of this machine
  view.report.id = directory_.filename().string();
  if (changed(directory_ / "sweep.json") == 0) return view;
  try {
    read_if_changed();
  } catch (const fs::filesystem_error& error) {  // something went away while it was listed
    view.problems.emplace_back(error.what());
  }
  view.report = results_.sweep;
  view.problems.insert(view.problems.end(), results_.problems.begin(), results_.problems.end());
  auto running = find_running(directory_, view.report.plan);
  std::time_t last_sign = changed(directory_ / "sweep.json");
  for (const spec::Point& point : view.report.plan.points) {
    last_sign = std::max(last_sign, changed(point_directory(directory_, point)));
  }
  if (running) {
    last_sign = std::max({last_sign, changed(running->directory),
                          changed(record::samples_path(running->directory, 0))});
  }
  const bool alive = !released && now - last_sign <= kPatience;
  if (running && (locked || alive)) {
    const spec::Point& point = view.report.plan.points[running->launch.point];
    view.report.records[running->launch.point].failure.clear();  // it is tried again
    read_steps(record::samples_path(running->directory, 0),
               static_cast<double>(point.batch_size) * point.devices, running->launch);
    view.running = std::move(running->launch);
  }
  view.at_least = sweep_.target_precision.has_value();
  const int rounds = view.at_least ? std::max(sweep_.repeats, 2) : sweep_.repeats;
  for (const stats::PointRecord& record : view.report.records) {
    const int launches = launches_of(record);
    view.done += launches;
    view.expected += record.failure.empty() ? std::max(rounds, launches) : launches;
    view.failed += record.failure.empty() ? 0 : 1;
  }
  if (locked || view.running) {
    view.state = SweepState::running;
    view.seconds_left = seconds_left(directory_, sweep_, view, now);
  } else {
    const bool complete = view.done >= view.expected;
    view.state = complete ? SweepState::complete : SweepState::stopped;
    view.over = complete || !alive;
  }
  return view;
}

}  // namespace lockstep::report
