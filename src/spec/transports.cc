#include "spec/transports.h"

#include "spec/names.h"

namespace lockstep::spec {
namespace {

constexpr TransportRow kTransports[] = {
    {.name = name(Transport::threads), .summary = "all ranks in one process of one host"},
    {.name = name(Transport::tcp), .summary = "processes on any hosts, started by hand or by ssh"},
    {.name = name(Transport::mpi),
     .summary = "one process per rank, started by mpirun or srun; MPI between hosts"},
};

}  // namespace

std::span<const TransportRow> transports() {
  return kTransports;
}

}  // namespace lockstep::spec
