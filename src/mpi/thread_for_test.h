#pragma once

#include "mpi/mpi_thread.h"

namespace lockstep::mpi {

// MPI starts once in a process, so all tests of the program share its thread.
MpiThread& thread_for_test();
const std::shared_ptr<MpiThread>& shared_thread_for_test();

int rank_for_test();
int world_for_test();

// Runs the body on the thread and waits until the body or something that it started calls `done`.
void run_on_thread(const std::function<void(std::function<void()> done)>& body);

}  // namespace lockstep::mpi
