#pragma once

#include <string>
#include <vector>

#include "machine/cores.h"
#include "spec/sweep.h"

namespace lockstep::cli {

// The sweep with all that it leaves to the zoo and the machine filled in: names as the zoo has
// them, batch sizes, device counts, threads per device and the time of a launch. `devices`: how
// many the hosts have; 0: as many as this machine has cores for. Devices of hosts whose cores are
// not known have one thread each. Throws Error(usage).
spec::Sweep resolve(spec::Sweep sweep, const machine::Allowed& allowed, int devices = 0);

// What a point's flags are on this machine: those of the plan, the devices and the servers.
std::vector<std::string> run_flags(const spec::Point& point);

// Throws Error(usage) for the first point that cannot run, with the reason: flags that do not go
// together, images that are too small, and, where the devices are this machine's, more of them than
// there are cores for. Returns what is to be said of the flags, each sentence once.
std::vector<std::string> check_points(const spec::Plan& plan, bool on_this_machine);

}  // namespace lockstep::cli
