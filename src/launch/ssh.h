#pragma once

#include "launch/launchers.h"

namespace lockstep::launch {

// A connection to each host, which starts a process for each of its devices and servers and ends
// them when it ends itself. They reach each other by tcp.
std::vector<Command> ssh(const Job& job, const Site& site);
std::vector<Command> collect_by_ssh(const Job& job, const Site& site);
std::vector<Command> reach_by_ssh(const Job& job, const Site& site);

}  // namespace lockstep::launch
