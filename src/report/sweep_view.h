#pragma once

#include <ctime>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "result/directory.h"

namespace lockstep::report {

// A launch that goes on while we look at it.
struct RunningLaunch {
  std::size_t point = 0;  // of the plan
  int round = 0;          // from 0 on
  std::int64_t steps = 0;
  // Images per second of all devices in the last steps, one by one, by rank 0's clock. Empty: what
  // that rank writes is not here (yet).
  std::vector<double> speeds = {};
};

enum class SweepState { waiting, running, complete, stopped };

// How far a sweep is.
struct SweepView {
  SweepState state = SweepState::waiting;
  // Complete, or stopped and not just between two launches: nothing follows by itself.
  bool over = false;
  std::filesystem::path directory = {};
  result::SweepResults report = {};  // without points while there is nothing to measure yet
  std::vector<std::string> problems = {};
  int done = 0;           // launches that have ended well
  int expected = 0;       // in all
  bool at_least = false;  // more may follow, until all points are as precise as asked for
  int failed = 0;         // points
  std::optional<RunningLaunch> running = {};
  std::optional<double> seconds_left = {};  // by the launches so far
};

// The mean of the speeds of the last steps; nothing: there are none.
std::optional<double> current_speed(const SweepView& view);

// Looks at a sweep again and again. Only reads: the sweep notices nothing of it. Files of launches
// that have ended are read once.
class SweepWatch {
 public:
  explicit SweepWatch(const std::filesystem::path& directory);

  // `locked`: a process of this machine works in the directory. Whatever vanishes or appears
  // meanwhile is seen the next time.
  SweepView look(bool locked, std::time_t now);

 private:
  void read_if_changed();

  std::filesystem::path directory_;
  std::vector<std::filesystem::file_time_type> seen_;  // when what was read last had changed
  spec::Sweep sweep_;
  result::ResultDirectory results_;
  bool seen_locked_ = false;
};

}  // namespace lockstep::report
