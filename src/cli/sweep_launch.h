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

// The threads of a device that all hosts have cores for at the largest point: on each host its
// allowed cores divided by its devices. Every rank of that point is launched to say it, so that
// what confines it is what confines it in a measurement. Of hosts that do not answer nothing is
// known; throws Error(launch) where none does, and what a host says that has too few cores.
int threads_on_hosts(const Launching& launching, const spec::Plan& plan);

// Launches the point, and makes the directory's finished launch of it or keeps the evidence of its
// failure. `stop` ends it early.
Launched launch_point(const Launching& launching, const spec::Point& point, int round,
                      SweepDirectory& directory, const std::atomic<bool>& stop);

}  // namespace lockstep::cli
