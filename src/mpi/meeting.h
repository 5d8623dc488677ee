#pragma once

#include <optional>
#include <string>

#include "comm/tcp.h"
#include "comm/transports.h"
#include "mpi/mpi_thread.h"

namespace lockstep::mpi {

// Where the ranks of an MPI world meet to connect outside of MPI.
struct Meeting {
  int rank = 0;
  int world = 1;
  std::string coordinator;                 // "host:port" of rank 0, as this rank reaches it
  std::string token;                       // which rank 0 has made up for this meeting
  std::optional<comm::Listener> listener;  // rank 0's own
};

// Collective. Rank 0 listens on a port that is free and tells the others through MPI: on loopback
// where all are on one host, else on the network that options name, or where the others reach it.
Meeting meet(MpiThread& thread, const comm::ConnectOptions& options, const std::string& host_key);

}  // namespace lockstep::mpi
