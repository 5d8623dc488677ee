#include "spec/launched.h"

#include <limits>

#include "base/text.h"
#include "spec/slurm.h"

namespace lockstep::spec {
namespace {

// The variables of one launcher, and what follows from others that need not be there.
struct LauncherRow {
  std::string_view launcher;
  const char* rank;
  const char* world;
  const char* local_rank;
  const char* local_world;                          // null: not told
  const char* host = nullptr;                       // null: not told
  bool mpi = false;                                 // MPI made these ranks: there are no others
  bool (*applies)(const Getenv&) = nullptr;         // null: always
  void (*add)(const Getenv&, Launched&) = nullptr;  // null: nothing
};

int number(const Getenv& getenv, const char* name, int low,
           int high = std::numeric_limits<int>::max()) {
  const std::string_view text = value_of(getenv, name);
  const auto n = parse_int(text);
  if (n && *n >= low && *n <= high) return static_cast<int>(*n);
  throw Error(ExitCode::usage,
              fmt::format("{}={}: expected an integer from {} to {}", name, text, low, high),
              fmt::format("unset {}, or start the program with a launcher that sets it", name));
}

void add_master(const Getenv& getenv, Launched& launched) {
  const std::string_view address = value_of(getenv, "MASTER_ADDR");
  if (address.empty()) return;
  launched.coordinator = {std::string(address), 29500};
  if (!value_of(getenv, "MASTER_PORT").empty()) {
    launched.coordinator->port = number(getenv, "MASTER_PORT", 1, 65535);
  }
  // torchrun itself listens there already.
  if (value_of(getenv, "TORCHELASTIC_USE_AGENT_STORE") == "True") ++launched.coordinator->port;
}

// horovodrun's own rendezvous is on the host that it was started on, where rank 0 need not be:
// where all ranks share a host, they meet there.
void add_gloo_rendezvous(const Getenv& getenv, Launched& launched) {
  const std::string_view address = value_of(getenv, "HOROVOD_GLOO_RENDEZVOUS_ADDR");
  if (!value_of(getenv, "LOCKSTEP_COORDINATOR").empty()) return;
  if (launched.local_world == launched.world) {
    launched.coordinator = {"127.0.0.1", kControllerPort};
  } else if (!address.empty()) {
    launched.coordinator = {std::string(address), kControllerPort};
  }
}

bool is_slurm_task(const Getenv& getenv) {
  constexpr std::int64_t kFirstSpecialStep = 0xfffffff0;  // batch scripts, interactive shells
  const auto step = parse_int(value_of(getenv, "SLURM_STEP_ID"));
  return step && *step >= 0 && *step < kFirstSpecialStep;
}

void add_slurm_hosts(const Getenv& getenv, Launched& launched) {
  for (const char* name : {"SLURM_STEP_TASKS_PER_NODE", "SLURM_TASKS_PER_NODE"}) {
    const std::string_view text = value_of(getenv, name);
    if (text.empty()) continue;
    const std::vector<int> tasks = expand_task_counts(text);
    const auto host = static_cast<std::size_t>(*launched.host);
    if (host < tasks.size()) launched.local_world = tasks[host];
    break;
  }
  for (const char* name : {"SLURM_STEP_NODELIST", "SLURM_JOB_NODELIST", "SLURM_NODELIST"}) {
    const std::string_view text = value_of(getenv, name);
    if (text.empty()) continue;
    launched.hosts = expand_hostlist(text);
    break;
  }
}

void add_flux_hosts(const Getenv& getenv, Launched& launched) {
  if (value_of(getenv, "FLUX_JOB_NNODES") != "1") return;
  launched.host = 0;
  launched.local_world = launched.world;
}

constexpr LauncherRow kRows[] = {
    {.launcher = "lockstep",
     .rank = "LOCKSTEP_RANK",
     .world = "LOCKSTEP_WORLD_SIZE",
     .local_rank = "LOCKSTEP_LOCAL_RANK",
     .local_world = "LOCKSTEP_LOCAL_WORLD_SIZE"},
    {.launcher = "torchrun",
     .rank = "RANK",
     .world = "WORLD_SIZE",
     .local_rank = "LOCAL_RANK",
     .local_world = "LOCAL_WORLD_SIZE",
     .add = add_master},
    {.launcher = "horovodrun",
     .rank = "HOROVOD_RANK",
     .world = "HOROVOD_SIZE",
     .local_rank = "HOROVOD_LOCAL_RANK",
     .local_world = "HOROVOD_LOCAL_SIZE",
     .add = add_gloo_rendezvous},
    {.launcher = "Open MPI's mpirun",
     .rank = "OMPI_COMM_WORLD_RANK",
     .world = "OMPI_COMM_WORLD_SIZE",
     .local_rank = "OMPI_COMM_WORLD_LOCAL_RANK",
     .local_world = "OMPI_COMM_WORLD_LOCAL_SIZE",
     .mpi = true},
    {.launcher = "MPICH's or Intel MPI's mpirun",
     .rank = "PMI_RANK",
     .world = "PMI_SIZE",
     .local_rank = "MPI_LOCALRANKID",
     .local_world = "MPI_LOCALNRANKS",
     .mpi = true},
    {.launcher = "Cray's launcher",
     .rank = "PMI_RANK",
     .world = "PMI_SIZE",
     .local_rank = "PMI_LOCAL_RANK",
     .local_world = "PMI_LOCAL_SIZE",
     .mpi = true},
    {.launcher = "MVAPICH's mpirun",
     .rank = "MV2_COMM_WORLD_RANK",
     .world = "MV2_COMM_WORLD_SIZE",
     .local_rank = "MV2_COMM_WORLD_LOCAL_RANK",
     .local_world = "MV2_COMM_WORLD_LOCAL_SIZE",
     .mpi = true},
    {.launcher = "Slurm's srun",
     .rank = "SLURM_PROCID",
     .world = "SLURM_NTASKS",
     .local_rank = "SLURM_LOCALID",
     .local_world = nullptr,
     .host = "SLURM_NODEID",
     .applies = is_slurm_task,
     .add = add_slurm_hosts},
    {.launcher = "flux run",
     .rank = "FLUX_TASK_RANK",
     .world = "FLUX_JOB_SIZE",
     .local_rank = "FLUX_TASK_LOCAL_ID",
     .local_world = nullptr,
     .add = add_flux_hosts},
    // PALS has no size of its own, but serves PMI.
    {.launcher = "PALS' mpiexec",
     .rank = "PALS_RANKID",
     .world = "PMI_SIZE",
     .local_rank = "PALS_LOCAL_RANKID",
     .local_world = "PALS_LOCAL_SIZE",
     .host = "PALS_NODEID",
     .mpi = true},
};

struct Presence {
  std::vector<std::string> set;
  std::vector<std::string> missing;
};

Presence presence(const LauncherRow& row, const Getenv& getenv) {
  Presence result;
  for (const char* name : {row.rank, row.world, row.local_rank, row.local_world, row.host}) {
    if (name == nullptr) continue;
    (value_of(getenv, name).empty() ? result.missing : result.set).emplace_back(name);
  }
  return result;
}

// A world in which everybody has a place.
void check_place(const LauncherRow& row, int index, int count, const char* index_name,
                 std::string_view count_name) {
  if (index < count) return;
  throw Error(ExitCode::usage,
              fmt::format("{}={} is not below {}={}", index_name, index, count_name, count),
              fmt::format("unset the variables of {}, or start the program with it", row.launcher));
}

Launched read(const LauncherRow& row, const Getenv& getenv) {
  Launched result;
  result.launcher = row.launcher;
  result.rank_variable = row.rank;
  result.rank = number(getenv, row.rank, 0);
  result.world = number(getenv, row.world, 1, kMaxRanks);
  result.local_rank = number(getenv, row.local_rank, 0);
  if (row.local_world != nullptr) result.local_world = number(getenv, row.local_world, 1);
  if (row.host != nullptr) result.host = number(getenv, row.host, 0);
  if (row.add != nullptr) row.add(getenv, result);
  const std::string_view own = value_of(getenv, "LOCKSTEP_COORDINATOR");
  if (!result.coordinator && !own.empty()) result.coordinator = parse_address(own, kControllerPort);
  check_place(row, result.rank, result.world, row.rank, row.world);
  check_place(row, result.local_rank, result.local_world.value_or(result.world), row.local_rank,
              row.local_world != nullptr ? row.local_world : "the processes of the host");
  return result;
}

std::string words(const std::vector<std::string>& names) {
  return fmt::format("{} {}", join(names, ", "), names.size() == 1 ? "is" : "are");
}

// Nothing where the other one gives this process the same place.
std::optional<Error> difference(const Launched& launched, int rank, int world,
                                std::string_view other, std::string_view remedy) {
  if (launched.rank == rank && launched.world == world) return std::nullopt;
  return Error(
      ExitCode::usage,
      fmt::format("this is rank {} of {} by {} ({}), but rank {} of {} by {}", launched.rank,
                  launched.world, launched.launcher, launched.rank_variable, rank, world, other),
      fmt::format("start the program with {}; if {} is left over from something else, unset it",
                  remedy, launched.rank_variable));
}

}  // namespace

std::optional<Launched> launched(const Getenv& getenv) {
  std::optional<Launched> first;
  const LauncherRow* nearest = nullptr;  // to being complete
  Presence of_nearest;
  for (const LauncherRow& row : kRows) {
    if (row.applies != nullptr && !row.applies(getenv)) continue;
    Presence variables = presence(row, getenv);
    if (variables.missing.empty()) {
      if (first && !row.mpi) continue;
      const Launched found = read(row, getenv);
      if (!first) first = found;
      const auto error = difference(*first, found.rank, found.world,
                                    fmt::format("{} ({})", found.launcher, found.rank_variable),
                                    "one launcher only");
      if (error) throw Error(*error);
    } else if (!variables.set.empty() &&
               (nearest == nullptr || variables.missing.size() < of_nearest.missing.size())) {
      nearest = &row;
      of_nearest = std::move(variables);
    }
  }
  if (first || nearest == nullptr) return first;
  throw Error(ExitCode::usage,
              fmt::format("the environment tells a part of this process's place only: {} set, {} "
                          "not",
                          words(of_nearest.set), words(of_nearest.missing)),
              fmt::format("start the program with {}, which sets them all, or unset {}",
                          nearest->launcher, join(of_nearest.set, ", ")));
}

std::optional<Error> contradiction(const Launched& launched, int mpi_rank, int mpi_world) {
  return difference(launched, mpi_rank, mpi_world, "MPI",
                    "the mpirun of the MPI that it was built with, or with srun --mpi=pmix");
}

}  // namespace lockstep::spec
