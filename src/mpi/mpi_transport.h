#pragma once

#include <memory>
#include <string>

#include "comm/transports.h"

namespace lockstep::mpi {

class MpiThread;

// The `mpi` transport: one process per rank, started by mpirun or by srun --mpi=pmix. Ranks meet
// through MPI; from there on the connections of the tcp transport carry texts, heartbeats and
// failures, since MPI tells nobody of a lost rank, nor of a host that it no longer reaches. MPI
// carries what goes between hosts.
//
//   mpirun --bind-to none -np 4 lockstep run ...         else mpirun binds each rank to one core
//   srun --mpi=pmix --kill-on-bad-exit=1 -n 4 lockstep run ...
//
// --oversubscribe lets mpirun start more ranks than there are cores. Open MPI runs two connections
// between two hosts here, for it halves the rate of one that both use at once; set
// OMPI_MCA_btl_tcp_links for another number. mpirun's exit code is that of the first rank that
// ended with another than 0, or 128 + the signal that ended a rank.
comm::TransportRow transport_row();

// On MPI that runs already, which knows rank and world; transport_row() starts it. `host_key`:
// tests pretend hosts with it.
std::unique_ptr<comm::Transport> connect(std::shared_ptr<MpiThread> thread,
                                         const comm::ConnectOptions& options,
                                         const std::string& host_key = {});

}  // namespace lockstep::mpi
