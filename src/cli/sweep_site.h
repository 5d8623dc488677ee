#pragma once

#include <span>
#include <string>

#include "base/getenv.h"
#include "launch/launchers.h"
#include "spec/sweep.h"

namespace lockstep::cli {

// Where a sweep runs.
struct Place {
  launch::Site site;
  std::string launcher;  // by its name
  int devices = 0;       // that the hosts have; 0: as many as this machine has cores
};

// Hosts are those that the sweep names, else those that the environment does. `own_names`: what
// this machine goes by. A sweep that names no launcher is local where there are no other hosts;
// else an allocation of Slurm's is Slurm's, and ssh reaches the rest. Throws Error(usage).
Place place_of(const spec::Sweep& sweep, const Getenv& getenv,
               std::span<const std::string> own_names);

}  // namespace lockstep::cli
