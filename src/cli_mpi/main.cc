// lockstep-mpi: lockstep with one more transport.

#include <vector>

#include "cli/program.h"
#include "comm/transports.h"
#include "mpi/mpi_transport.h"

int main(int, char** argv) {
  const auto others = lockstep::comm::transports();
  std::vector<lockstep::comm::TransportRow> transports(others.begin(), others.end());
  transports.push_back(lockstep::mpi::transport_row());
  return lockstep::cli::program(argv, transports);
}
