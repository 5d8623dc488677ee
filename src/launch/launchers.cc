#include "launch/launchers.h"

#include <algorithm>

#include "base/unknown_name.h"
#include "launch/local.h"
#include "launch/mpi.h"
#include "launch/slurm.h"
#include "launch/ssh.h"

namespace lockstep::launch {
namespace {

std::vector<Command> nothing(const Job&, const Site&) {
  return {};
}

constexpr LauncherRow kLaunchers[] = {
    {"local", local, nothing, nothing, "this machine: a thread, or a process, for each device"},
    {"ssh", ssh, collect_by_ssh, reach_by_ssh,
     "hosts that have nothing but sshd: processes that meet by tcp"},
    {"mpi", mpi, collect_by_ssh, reach_by_ssh, "hosts with Open MPI: mpirun"},
    {"slurm", slurm, nothing, nothing,
     "the hosts of a Slurm allocation: srun; where there is none, a batch job"},
};

}  // namespace

std::span<const LauncherRow> launchers() {
  return kLaunchers;
}

const LauncherRow& find_launcher(std::string_view name) {
  std::vector<std::string> known;
  for (const LauncherRow& row : kLaunchers) {
    if (row.name == name) return row;
    known.emplace_back(row.name);
  }
  throw unknown_name("launcher", name, known);
}

}  // namespace lockstep::launch
