#pragma once

#include <span>
#include <vector>

#include "machine/cores.h"

struct hwloc_topology;

namespace lockstep::machine {

struct Topology {
  // The processors of each physical core. Neighbours share caches; the fastest kind of cores of a
  // hybrid processor stands first.
  std::vector<std::vector<int>> cores;
  int numa_nodes = 0;
};
Topology topology();  // of this machine, whatever part of it this process may use
Topology read_topology(hwloc_topology* loaded);

// What an affinity mask and a CPU quota (0: unlimited) leave of a machine.
Allowed allowed_on(const Topology& topology, std::span<const int> mask, double quota);

}  // namespace lockstep::machine
