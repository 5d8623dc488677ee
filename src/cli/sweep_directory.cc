#include "cli/sweep_directory.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "base/json.h"
#include "result/directory.h"
#include "result/run_file.h"

namespace lockstep::cli {
namespace {

namespace fs = std::filesystem;
using SortedJson = nlohmann::json;

constexpr const char* kRunning = ".running";
constexpr const char* kFailed = ".failed";
constexpr const char* kRejected = ".rejected";

// What may change between two starts of one sweep: how long it goes on, not what it measures.
constexpr const char* kPatienceKeys[] = {"repeats", "target_precision", "max_time", "retries",
                                         "point_time_limit"};

constexpr const char* kElsewhere = "--result_dir names another directory";

[[noreturn]] void cannot(const char* verb, const fs::path& path, const std::string& why) {
  throw Error(ExitCode::environment, fmt::format("cannot {} {}: {}", verb, path.string(), why),
              kElsewhere);
}

void make(const fs::path& path) {
  make_directory(path, kElsewhere);
}

void clear_away(const fs::path& path) {
  std::error_code error;
  fs::remove_all(path, error);
  if (error) cannot("remove", path, error.message());
}

void move(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::rename(from, to, error);
  if (error) cannot("rename", from, error.message());
}

SortedJson measured_part(const std::string& text, const fs::path& file) {
  try {
    SortedJson json = parse_json(text);
    for (const char* key : kPatienceKeys) json.erase(key);
    return json;
  } catch (const SortedJson::exception&) {
    throw Error(ExitCode::usage, fmt::format("{} is not a sweep.json", file.string()),
                "choose another --result_dir");
  } catch (const Error& error) {
    throw Error(ExitCode::usage,
                fmt::format("{} is not a whole sweep.json: {}", file.string(), error.what()),
                "choose another --result_dir");
  }
}

// The first option in which two sweeps differ.
std::string difference(const SortedJson& before, const SortedJson& now) {
  const auto value = [](const SortedJson& json, const std::string& key) {
    return json.contains(key) ? json.at(key).dump() : "nothing";
  };
  for (const SortedJson* side : {&before, &now}) {
    for (const auto& [key, ignored] : side->items()) {
      if (value(before, key) != value(now, key)) {
        return fmt::format("its {} is {}, not {}", key, value(before, key), value(now, key));
      }
    }
  }
  return {};
}

void check_same(const fs::path& file, const spec::Sweep& sweep, bool resume) {
  const SortedJson before = measured_part(read_file(file), file);
  SortedJson now = measured_part(spec::to_json(sweep), file);
  // 0: the hosts have not been asked yet, which whoever submits a batch job leaves to the job.
  constexpr const char* kAsked = "threads_per_device";
  if (now.value(kAsked, 0) == 0 || before.value(kAsked, 0) == 0) now[kAsked] = before.at(kAsked);
  const std::string directory = file.parent_path().string();
  if (before != now) {
    throw Error(ExitCode::usage,
                fmt::format("{} holds another sweep: {}", directory, difference(before, now)),
                "choose another --result_dir");
  }
  if (!resume) {
    throw Error(ExitCode::usage, fmt::format("{} holds this sweep already", directory),
                "--resume goes on with it; another --result_dir starts a new one");
  }
}

Descriptor locked(const fs::path& path) {
  Descriptor directory(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory) cannot("open", path, std::strerror(errno));
  if (flock(directory.get(), LOCK_EX | LOCK_NB) == 0) return directory;
  if (errno != EWOULDBLOCK) cannot("lock", path, std::strerror(errno));
  throw Error(ExitCode::usage, fmt::format("another sweep is running in {}", path.string()),
              "wait for it, or choose another --result_dir");
}

}  // namespace

// Asking for the lock would be to hold it for a moment, in which a sweep could not begin. So the
// kernel's list of locks is read: "1: FLOCK  ADVISORY  WRITE 1234 fe:01:5678 0 EOF".
bool is_worked_on(const fs::path& directory) {
  struct stat status {};
  if (stat(directory.c_str(), &status) != 0) return false;
  const std::string place =
      fmt::format(" {:02x}:{:02x}:{} ", major(status.st_dev), minor(status.st_dev), status.st_ino);
  std::ifstream locks("/proc/locks");
  for (std::string line; std::getline(locks, line);) {
    const bool waits = line.find("->") != std::string::npos;
    if (!waits && line.find("FLOCK") != std::string::npos &&
        line.find(place) != std::string::npos) {
      return true;
    }
  }
  return false;
}

SweepDirectory::SweepDirectory(fs::path path, const spec::Sweep& sweep, bool resume)
    : path_(std::move(path)) {
  make(path_);
  lock_ = locked(path_);
  const fs::path file = path_ / "sweep.json";
  if (fs::exists(file)) check_same(file, sweep, resume);
  record(sweep);
}

void SweepDirectory::record(const spec::Sweep& sweep) const {
  write_file(path_ / "sweep.json", spec::to_json(sweep) + '\n');
}

fs::path SweepDirectory::launch(const spec::Point& point, int round, const char* suffix) const {
  return path_ / "points" / point.id / fmt::format("{}{}", round + 1, suffix);
}

std::vector<stats::PointRecord> SweepDirectory::load(const spec::Plan& plan,
                                                     std::vector<std::string>& warnings) {
  std::vector<stats::PointRecord> records(plan.points.size());
  for (std::size_t p = 0; p < plan.points.size(); ++p) {
    const spec::Point& point = plan.points[p];
    for (const int round : result::rounds_in(path_ / "points" / point.id)) {
      try {
        stats::Launch numbers = result::read_launch(launch(point, round, ""), point);
        auto& launches = records[p].launches;
        if (std::cmp_less_equal(launches.size(), round)) {
          launches.resize(static_cast<std::size_t>(round) + 1);
        }
        launches[static_cast<std::size_t>(round)] = std::move(numbers);
      } catch (const Error& error) {
        warnings.push_back(fmt::format("launch {} of {} is measured again: its run.json: {}",
                                       round + 1, point.id, error.what()));
        clear_away(launch(point, round, kRejected));
        move(launch(point, round, ""), launch(point, round, kRejected));
      }
    }
  }
  return records;
}

fs::path SweepDirectory::begin(const spec::Point& point, int round) {
  fs::path directory = launch(point, round, kRunning);
  clear_away(directory);
  make(directory);
  return directory;
}

void SweepDirectory::finish(const spec::Point& point, int round) {
  clear_away(launch(point, round, kFailed));
  move(launch(point, round, kRunning), launch(point, round, ""));
}

void SweepDirectory::drop(const spec::Point& point, int round) {
  clear_away(launch(point, round, kRunning));
}

fs::path SweepDirectory::fail(const spec::Point& point, int round) {
  fs::path directory = launch(point, round, kFailed);
  clear_away(directory);
  move(launch(point, round, kRunning), directory);
  return directory;
}

}  // namespace lockstep::cli
