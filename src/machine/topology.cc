#include "machine/topology.h"

#include <hwloc.h>

#include <algorithm>
#include <memory>
#include <type_traits>

#include "base/error.h"

namespace lockstep::machine {
namespace {

struct Destroy {
  void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};

// Of the kind of core that the processor belongs to, higher is faster; -1 where hwloc cannot tell.
int speed_rank(hwloc_topology_t loaded, hwloc_obj_t processor) {
  int rank = -1;
  const int kind = hwloc_cpukinds_get_by_cpuset(loaded, processor->cpuset, 0);
  if (kind >= 0) {
    hwloc_cpukinds_get_info(loaded, static_cast<unsigned>(kind), nullptr, &rank, nullptr, nullptr,
                            0);
  }
  return rank;
}

}  // namespace

Topology read_topology(hwloc_topology_t loaded) {
  struct Core {
    int rank;
    std::vector<int> processors;
  };
  std::vector<Core> cores;
  hwloc_obj_t previous = nullptr;
  for (hwloc_obj_t processor = nullptr;
       (processor = hwloc_get_next_obj_by_type(loaded, HWLOC_OBJ_PU, processor)) != nullptr;) {
    // Logical order: hardware threads of one core follow each other, and so do cores of one cache.
    // Where the machine does not tell its cores, every processor counts as one.
    const hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(loaded, HWLOC_OBJ_CORE, processor);
    if (core == nullptr || core != previous) cores.push_back({speed_rank(loaded, processor), {}});
    cores.back().processors.push_back(static_cast<int>(processor->os_index));
    previous = core;
  }
  std::stable_sort(cores.begin(), cores.end(),
                   [](const Core& a, const Core& b) { return a.rank > b.rank; });

  Topology topology;
  for (Core& core : cores) topology.cores.push_back(std::move(core.processors));
  topology.numa_nodes = hwloc_get_nbobjs_by_type(loaded, HWLOC_OBJ_NUMANODE);
  return topology;
}

Topology topology() {
  hwloc_topology_t loaded = nullptr;
  const bool initialised = hwloc_topology_init(&loaded) == 0;
  const std::unique_ptr<std::remove_pointer_t<hwloc_topology_t>, Destroy> owner(loaded);
  if (!initialised ||
      hwloc_topology_set_flags(loaded, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED) != 0 ||
      hwloc_topology_load(loaded) != 0) {
    throw Error(ExitCode::environment, "hwloc cannot read the topology of this machine",
                "check that /sys is mounted");
  }
  return read_topology(loaded);
}

}  // namespace lockstep::machine
