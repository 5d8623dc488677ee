#pragma once

#include "launch/launchers.h"

namespace lockstep::launch {

// One process with a thread for each device, or a process for each. They meet on the loopback.
std::vector<Command> local(const Job& job, const Site& site);

}  // namespace lockstep::launch
