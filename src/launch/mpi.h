#pragma once

#include "launch/launchers.h"

namespace lockstep::launch {

// Open MPI's mpirun: a process for each device and each server.
std::vector<Command> mpi(const Job& job, const Site& site);

}  // namespace lockstep::launch
