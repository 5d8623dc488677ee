#include "launch/launchers.h"

#include <algorithm>

#include "base/text.h"
#include "base/unknown_name.h"
#include "launch/local.h"
#include "launch/mpi.h"
#include "launch/slurm.h"
#include "launch/ssh.h"

namespace lockstep::launch {
namespace {

constexpr LauncherRow kLaunchers[] = {
    {.name = "local",
     .commands = local,
     .here = true,
     .summary = "this machine: a thread, or a process, for each device"},
    {.name = "ssh",
     .commands = ssh,
     .collect = collect_by_ssh,
     .reach = reach_by_ssh,
     .by_ssh = true,
     .summary = "hosts that have nothing but sshd: processes that meet by tcp"},
    {.name = "mpi",
     .commands = mpi,
     .collect = collect_by_ssh,
     .reach = reach_by_ssh,
     .by_mpi = true,
     .needs_mpirun = true,
     .summary = "hosts with Open MPI: mpirun"},
    {.name = "slurm",
     .commands = slurm,
     .by_mpi = true,
     .allocation = "SLURM_JOB_ID",
     .on_each_host = "srun --ntasks-per-node=1",
     .summary = "the hosts of a Slurm allocation: srun; where there is none, a batch job"},
};

}  // namespace

std::vector<Command> no_commands(const Job&, const Site&) {
  return {};
}

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

const LauncherRow& usual_launcher(bool here, const std::function<bool(const char*)>& is_set) {
  if (here) return *std::ranges::find_if(kLaunchers, &LauncherRow::here);
  for (const LauncherRow& row : kLaunchers) {
    if (row.allocation != nullptr && is_set(row.allocation)) return row;
  }
  return *std::ranges::find_if(kLaunchers, &LauncherRow::by_ssh);
}

std::string launchers_of_hosts() {
  std::vector<std::string> names;
  for (const LauncherRow& row : kLaunchers) {
    if (!row.here) names.emplace_back(row.name);
  }
  return alternatives(names);
}

}  // namespace lockstep::launch
