#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/getenv.h"
#include "spec/cluster.h"

namespace lockstep::spec {

// Which process of how many a launcher made this one, as its environment variables say.
struct Launched {
  std::string_view launcher;       // "Open MPI's mpirun"
  std::string_view rank_variable;  // where the rank stood
  int rank = 0;
  int world = 1;
  int local_rank = 0;                  // among the processes of this host
  std::optional<int> local_world;      // nothing: the launcher does not tell
  std::optional<int> host;             // index of this host; nothing: not told
  std::vector<std::string> hosts;      // all names, by that index; empty: not told
  std::optional<Address> coordinator;  // where ranks without MPI meet; nothing: not told

  bool operator==(const Launched&) const = default;
};

// Nothing: started by hand. The first complete set of variables wins, in this order: our own
// LOCKSTEP_*, torchrun's, horovodrun's over Gloo, Open MPI's, MPICH's, Cray's PMI, MVAPICH's,
// Slurm's, Flux's, PALS'. So mpirun within a Slurm job wins over Slurm. Without a complete set, a
// part of one is an Error(usage): a rank that takes itself for alone would measure nonsense. So is
// a complete set of an MPI's launcher that gives another rank or world than the one that wins.
// (Those of Slurm and Flux may: within a job of theirs, mpirun's ranks have the variables of the
// task that mpirun is.)
//
// Ranks meet at torchrun's MASTER_ADDR; without it, or by another launcher, at
// LOCKSTEP_COORDINATOR; without that, those of horovodrun at HOROVOD_GLOO_RENDEZVOUS_ADDR, or, all
// on one host, there.
//
// Slurm's variables count in a task of srun only. A batch script and the shell of salloc have some
// of them, too, and SLURM_NTASKS is then what the whole job asked for: the script of
// `sbatch --ntasks=4` sees SLURM_PROCID=0 and SLURM_NTASKS=4, though it runs once. It has no
// SLURM_STEP_ID; where salloc runs its shell on the first host (LaunchParameters=
// use_interactive_step), that shell's is 4294967290. A task of srun has a small one.
std::optional<Launched> launched(const Getenv& getenv);

// What is wrong when MPI says otherwise; nothing: they agree.
std::optional<Error> contradiction(const Launched& launched, int mpi_rank, int mpi_world);

}  // namespace lockstep::spec
