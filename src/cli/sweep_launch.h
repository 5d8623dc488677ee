#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "cli/sweep_control.h"
#include "cli/sweep_directory.h"
#include "launch/launchers.h"
#include "launch/runner.h"
#include "spec/sweep.h"

namespace lockstep::cli {

// How the points of a sweep are launched.
struct Launching {
  const launch::LauncherRow& launcher;
  launch::Site site;
  std::string program;    // the path of lockstep
  std::string sweep;      // what the sweep is called
  double time_limit = 0;  // seconds, of a launch; 0: none
  bool live = false;      // show what the ranks print
};

// One launch of a point, with its results in `directory`.
launch::Job job_of(const Launching& launching, const spec::Point& point, int round,
                   const std::string& directory);

// Launches the point, and makes the directory's finished launch of it or keeps the evidence of its
// failure. `stop` ends it early.
Launched launch_point(const Launching& launching, const spec::Point& point, int round,
                      SweepDirectory& directory, const std::atomic<bool>& stop);

}  // namespace lockstep::cli
