#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/getenv.h"
#include "launch/launchers.h"
#include "spec/sweep.h"

namespace lockstep::cli {

// Where a sweep runs.
struct Place {
  launch::Site site;
  const launch::LauncherRow* launcher = nullptr;
  int devices = 0;  // that the hosts have; 0: as many as this machine has cores
  // Of a batch job that runs the whole sweep, because there is no allocation yet.
  struct Batch {
    int hosts = 0;
    int tasks_per_host = 0;                 // 0: the hosts are named, and have their own
    std::vector<std::string> options = {};  // for sbatch
  };
  std::optional<Batch> batch = {};

  // Ranks are threads of one process.
  bool by_threads() const { return launcher->here && !site.processes; }
};

// Hosts are those that the sweep names, else those that the environment does. `own_names`: what
// this machine goes by. A sweep that names no launcher has the usual one; named hosts are of no
// allocation. A batch job has the hosts that are named, else as many as the largest number of
// devices takes. Throws Error(usage).
Place place_of(const spec::Sweep& sweep, const Getenv& getenv,
               std::span<const std::string> own_names);

}  // namespace lockstep::cli
