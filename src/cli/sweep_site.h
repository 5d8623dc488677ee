#pragma once

#include <span>
#include <string>

#include "base/getenv.h"
#include "launch/launchers.h"
#include "spec/sweep.h"
#include "spec/sweep_flags.h"

namespace lockstep::cli {

// Where a sweep runs.
struct Place {
  launch::Site site;
  std::string launcher;  // by its name
  int devices = 0;       // that the hosts have; 0: as many as this machine has cores
};

// Hosts are those that the sweep names, else Slurm's within an allocation, PBS' ($PBS_NODEFILE) or
// those of DEEPLEARNING_WORKERS_PATH. `own_names`: what this machine goes by. Without other hosts
// than this machine and without a launcher, it is local. Throws Error(usage).
Place place_of(const spec::Sweep& sweep, const Getenv& getenv, const spec::ReadFile& read,
               std::span<const std::string> own_names);

}  // namespace lockstep::cli
