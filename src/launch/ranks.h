#pragma once

#include <map>
#include <string>
#include <vector>

#include "launch/launchers.h"

namespace lockstep::launch {

// How many processes each host has; a device is one process, and so is a server.
struct Placement {
  std::vector<int> workers;
  std::vector<int> servers;
};
// Throws Error(usage) when they do not fit.
Placement placement(const Job& job, const spec::Hosts& hosts, const Site& site);

// A process of the job: where it is, and the LOCKSTEP_ variables that tell it which one it is.
struct Rank {
  int rank = 0;
  std::size_t host = 0;  // index
  std::map<std::string, std::string> environment = {};
};
// All processes: workers host by host, then servers. They meet at the coordinator, "host:port".
std::vector<Rank> ranks(const Placement& placement, const std::string& coordinator);

// How `lockstep run` says that it has failed: of Command::failure.
inline constexpr const char* kFailure = "error: ";

// "PROGRAM run FLAGS --devices=1 --num_ps=2 --result_dir=DIR"
std::vector<std::string> run_command(const Job& job, const std::string& program, int devices,
                                     const std::string& result_dir);

}  // namespace lockstep::launch
