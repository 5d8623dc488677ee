#include "spec/launched.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace lockstep::spec {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using Variables = std::map<std::string, std::string>;

std::optional<Launched> detect(const Variables& variables) {
  return launched([&](const char* name) -> const char* {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

// "message | hint"
std::string launch_error_of(const Variables& variables) {
  try {
    detect(variables);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    EXPECT_FALSE(error.hint().empty());
    return fmt::format("{} | {}", error.what(), error.hint());
  }
  return "no error";
}

// "1 of 4, 0 of 2 here"
std::string place(const std::optional<Launched>& found) {
  if (!found) return "by hand";
  return fmt::format("{} of {}, {} of {} here", found->rank, found->world, found->local_rank,
                     found->local_world ? std::to_string(*found->local_world) : "unknown");
}

Variables operator+(Variables a, const Variables& b) {
  for (const auto& [name, value] : b) a[name] = value;
  return a;
}
Variables without(Variables variables, const std::string& name) {
  variables.erase(name);
  return variables;
}

// What each launcher sets in rank 1 of 4, the second of two processes of the first of two hosts.
const Variables kOwn = {{"LOCKSTEP_RANK", "1"},
                        {"LOCKSTEP_WORLD_SIZE", "4"},
                        {"LOCKSTEP_LOCAL_RANK", "1"},
                        {"LOCKSTEP_LOCAL_WORLD_SIZE", "2"}};
const Variables kTorchrun = {
    {"RANK", "1"}, {"WORLD_SIZE", "4"}, {"LOCAL_RANK", "1"}, {"LOCAL_WORLD_SIZE", "2"}};
const Variables kHorovod = {{"HOROVOD_RANK", "1"},       {"HOROVOD_SIZE", "4"},
                            {"HOROVOD_LOCAL_RANK", "1"}, {"HOROVOD_LOCAL_SIZE", "2"},
                            {"HOROVOD_CROSS_RANK", "0"}, {"HOROVOD_CROSS_SIZE", "2"}};
const Variables kOpenMpi = {{"OMPI_COMM_WORLD_RANK", "1"},
                            {"OMPI_COMM_WORLD_SIZE", "4"},
                            {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                            {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"},
                            {"OMPI_COMM_WORLD_NODE_RANK", "1"}};
const Variables kMpich = {
    {"PMI_RANK", "1"}, {"PMI_SIZE", "4"}, {"MPI_LOCALRANKID", "1"}, {"MPI_LOCALNRANKS", "2"}};
const Variables kCray = {
    {"PMI_RANK", "1"}, {"PMI_SIZE", "4"}, {"PMI_LOCAL_RANK", "1"}, {"PMI_LOCAL_SIZE", "2"}};
const Variables kMvapich = {{"MV2_COMM_WORLD_RANK", "1"},
                            {"MV2_COMM_WORLD_SIZE", "4"},
                            {"MV2_COMM_WORLD_LOCAL_RANK", "1"},
                            {"MV2_COMM_WORLD_LOCAL_SIZE", "2"}};
const Variables kSlurm = {{"SLURM_STEP_ID", "0"},
                          {"SLURM_PROCID", "1"},
                          {"SLURM_NTASKS", "4"},
                          {"SLURM_LOCALID", "1"},
                          {"SLURM_NODEID", "0"},
                          {"SLURM_STEP_TASKS_PER_NODE", "2(x2)"},
                          {"SLURM_STEP_NODELIST", "node[1-2]"},
                          {"SLURM_JOB_NODELIST", "node[1-8]"}};
const Variables kFlux = {{"FLUX_TASK_RANK", "1"},
                         {"FLUX_JOB_SIZE", "4"},
                         {"FLUX_TASK_LOCAL_ID", "1"},
                         {"FLUX_JOB_NNODES", "2"}};
const Variables kPals = {{"PALS_RANKID", "1"},
                         {"PALS_LOCAL_RANKID", "1"},
                         {"PALS_LOCAL_SIZE", "2"},
                         {"PALS_NODEID", "0"},
                         {"PMI_SIZE", "4"}};

// In the order in which they win.
const std::vector<std::pair<std::string_view, Variables>> kLaunchers = {
    {"lockstep", kOwn},
    {"torchrun", kTorchrun},
    {"horovodrun", kHorovod},
    {"Open MPI's mpirun", kOpenMpi},
    {"MPICH's or Intel MPI's mpirun", kMpich},
    {"Cray's launcher", kCray},
    {"MVAPICH's mpirun", kMvapich},
    {"Slurm's srun", kSlurm},
    {"flux run", kFlux},
    {"PALS' mpiexec", kPals},
};

TEST(Launched, IsNothingWithoutALauncher) {
  EXPECT_EQ(detect({{"HOME", "/root"}}), std::nullopt);
  EXPECT_EQ(detect({{"RANK", ""}, {"PMI_RANK", ""}}), std::nullopt);
}

TEST(Launched, KnowsEveryLauncher) {
  for (const auto& [launcher, variables] : kLaunchers) {
    SCOPED_TRACE(launcher);
    const auto found = detect(variables);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->launcher, launcher);
    EXPECT_EQ(place(found),
              launcher == "flux run" ? "1 of 4, 1 of unknown here" : "1 of 4, 1 of 2 here");
  }
}

TEST(Launched, TakesTheFirstCompleteSet) {
  for (std::size_t i = 0; i < kLaunchers.size(); ++i) {
    for (std::size_t j = i + 1; j < kLaunchers.size(); ++j) {
      EXPECT_EQ(detect(kLaunchers[i].second + kLaunchers[j].second)->launcher, kLaunchers[i].first);
    }
  }
}

TEST(Launched, TakesMpirunForTheLauncherWithinASlurmJob) {
  const Variables daemon = {{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "1"}};  // mpirun's own task
  const auto found = detect(kOpenMpi + kSlurm + daemon);
  EXPECT_EQ(found->launcher, "Open MPI's mpirun");
  EXPECT_EQ(place(found), "1 of 4, 1 of 2 here");
}

TEST(Launched, RefusesAPlaceThatAnMpisLauncherContradicts) {
  const Variables alone = {
      {"RANK", "0"}, {"WORLD_SIZE", "1"}, {"LOCAL_RANK", "0"}, {"LOCAL_WORLD_SIZE", "1"}};
  EXPECT_EQ(launch_error_of(kOpenMpi + alone),
            "this is rank 0 of 1 by torchrun (RANK), but rank 1 of 4 by Open MPI's mpirun "
            "(OMPI_COMM_WORLD_RANK) | start the program with one launcher only; if RANK is left "
            "over from something else, unset it");
  for (const Variables& mpi : {kOpenMpi, kMpich, kCray, kMvapich, kPals}) {
    EXPECT_THAT(launch_error_of(mpi + alone), HasSubstr("but rank 1 of 4 by "));
    EXPECT_THAT(launch_error_of(mpi + kTorchrun + Variables{{"RANK", "0"}}),
                HasSubstr("this is rank 0 of 4 by torchrun (RANK), but rank 1 of 4 by "));
  }
  // Tasks of a job may be mpirun, or torchrun.
  for (const Variables& job : {kSlurm, kFlux}) {
    EXPECT_EQ(detect(job + alone)->launcher, "torchrun");
  }
}

TEST(Launched, LooksPastAnIncompleteSetForACompleteOne) {
  // srun --mpi=pmi2 sets two of MPICH's variables.
  const auto found = detect(kSlurm + Variables{{"PMI_RANK", "1"}, {"PMI_SIZE", "4"}});
  EXPECT_EQ(found->launcher, "Slurm's srun");
}

TEST(Launched, RefusesAPartOfASet) {
  EXPECT_EQ(launch_error_of({{"RANK", "0"}, {"WORLD_SIZE", "2"}}),
            "the environment tells a part of this process's place only: RANK, WORLD_SIZE are set, "
            "LOCAL_RANK, LOCAL_WORLD_SIZE are not | start the program with torchrun, which sets "
            "them all, or unset RANK, WORLD_SIZE");
  for (const auto& [launcher, variables] : kLaunchers) {
    for (const auto& [name, value] : variables) {
      if (name.ends_with("NODELIST") || name.ends_with("PER_NODE") || name == "SLURM_STEP_ID" ||
          name == "FLUX_JOB_NNODES" || name.starts_with("HOROVOD_CROSS") ||
          name == "OMPI_COMM_WORLD_NODE_RANK") {
        continue;  // not needed, or what makes a set count at all
      }
      EXPECT_THAT(launch_error_of(without(variables, name)), HasSubstr(name + " is not"))
          << launcher;
    }
  }
}

TEST(Launched, RefusesWhatIsNoPlace) {
  EXPECT_THAT(launch_error_of(kOpenMpi + Variables{{"OMPI_COMM_WORLD_RANK", "x"}}),
              HasSubstr("OMPI_COMM_WORLD_RANK=x: expected an integer from 0"));
  EXPECT_THAT(launch_error_of(kOpenMpi + Variables{{"OMPI_COMM_WORLD_SIZE", "0"}}),
              HasSubstr("OMPI_COMM_WORLD_SIZE=0: expected an integer from 1"));
  EXPECT_THAT(launch_error_of(kOpenMpi + Variables{{"OMPI_COMM_WORLD_RANK", "4"}}),
              HasSubstr("OMPI_COMM_WORLD_RANK=4 is not below OMPI_COMM_WORLD_SIZE=4"));
  EXPECT_THAT(launch_error_of(kOpenMpi + Variables{{"OMPI_COMM_WORLD_LOCAL_RANK", "2"}}),
              HasSubstr("LOCAL_RANK=2 is not below OMPI_COMM_WORLD_LOCAL_SIZE=2"));
  EXPECT_THAT(launch_error_of(kSlurm + Variables{{"SLURM_LOCALID", "2"}}),
              HasSubstr("SLURM_LOCALID=2 is not below the processes of the host=2"));
}

TEST(Launched, MeetsAtTheCoordinatorThatItIsGiven) {
  EXPECT_EQ(detect(kOwn)->coordinator, std::nullopt);
  EXPECT_EQ(detect(kOwn + Variables{{"LOCKSTEP_COORDINATOR", "a"}})->coordinator,
            (Address{"a", kControllerPort}));
  for (const auto& [launcher, variables] : kLaunchers) {
    EXPECT_EQ(detect(variables + Variables{{"LOCKSTEP_COORDINATOR", "a:99"}})->coordinator,
              (Address{"a", 99}))
        << launcher;
  }
  EXPECT_EQ(detect(kTorchrun + Variables{{"MASTER_ADDR", "b"}})->coordinator,
            (Address{"b", 29500}));
  EXPECT_EQ(detect(kTorchrun + Variables{{"MASTER_ADDR", "b"}, {"MASTER_PORT", "7"}})->coordinator,
            (Address{"b", 7}));
  EXPECT_EQ(detect(kTorchrun + Variables{{"MASTER_ADDR", "b"}, {"LOCKSTEP_COORDINATOR", "a:99"}})
                ->coordinator,
            (Address{"b", 29500}));
}

TEST(LaunchedByHorovodrun, MeetsAtItsRendezvousOnAPortOfOurs) {
  const Variables gloo = {{"HOROVOD_GLOO_RENDEZVOUS_ADDR", "10.0.0.1"},
                          {"HOROVOD_GLOO_RENDEZVOUS_PORT", "40000"}};
  EXPECT_EQ(detect(kHorovod + gloo)->coordinator, (Address{"10.0.0.1", kControllerPort}));
  EXPECT_EQ(detect(kHorovod)->coordinator, std::nullopt);
  EXPECT_EQ(detect(kHorovod + gloo + Variables{{"LOCKSTEP_COORDINATOR", "a:99"}})->coordinator,
            (Address{"a", 99}));
}

TEST(LaunchedByHorovodrun, MeetsOnTheOnlyHostWhereverItWasStarted) {
  EXPECT_EQ(detect(kHorovod + Variables{{"HOROVOD_LOCAL_SIZE", "4"},
                                        {"HOROVOD_GLOO_RENDEZVOUS_ADDR", "10.0.0.1"}})
                ->coordinator,
            (Address{"127.0.0.1", kControllerPort}));
}

TEST(Launched, RefusesACoordinatorWithoutAPlace) {
  EXPECT_THAT(launch_error_of(kOwn + Variables{{"LOCKSTEP_COORDINATOR", "a:x"}}),
              HasSubstr("host 'a:x': expected a port"));
  EXPECT_THAT(
      launch_error_of(kTorchrun + Variables{{"MASTER_ADDR", "b"}, {"MASTER_PORT", "65536"}}),
      HasSubstr("MASTER_PORT=65536: expected an integer from 1 to 65535"));
}

TEST(Launched, LeavesTorchrunThePortOnWhichItListens) {
  EXPECT_EQ(detect(kTorchrun + Variables{{"MASTER_ADDR", "b"},
                                         {"MASTER_PORT", "7"},
                                         {"TORCHELASTIC_USE_AGENT_STORE", "True"}})
                ->coordinator,
            (Address{"b", 8}));
}

TEST(LaunchedBySlurm, KnowsItsHosts) {
  const auto found = detect(kSlurm + Variables{{"SLURM_PROCID", "3"},
                                               {"SLURM_NTASKS", "4"},
                                               {"SLURM_LOCALID", "0"},
                                               {"SLURM_NODEID", "1"},
                                               {"SLURM_STEP_TASKS_PER_NODE", "3,1"}});
  EXPECT_EQ(place(found), "3 of 4, 0 of 1 here");
  EXPECT_EQ(found->host, 1);
  EXPECT_THAT(found->hosts, ElementsAre("node1", "node2"));
}

TEST(LaunchedBySlurm, FallsBackOnTheJobsHosts) {
  Variables old = without(without(kSlurm, "SLURM_STEP_NODELIST"), "SLURM_STEP_TASKS_PER_NODE");
  EXPECT_EQ(detect(old)->local_world, std::nullopt);
  old = old + Variables{{"SLURM_JOB_NODELIST", "a,b"}, {"SLURM_TASKS_PER_NODE", "2,2"}};
  EXPECT_EQ(detect(old)->local_world, 2);
  EXPECT_THAT(detect(old)->hosts, ElementsAre("a", "b"));
  EXPECT_THAT(detect(without(old, "SLURM_JOB_NODELIST"))->hosts, IsEmpty());
}

// The variables below are those of Slurm 22.05.
TEST(LaunchedBySlurm, IsNoBatchScript) {
  EXPECT_EQ(detect({{"SLURM_PROCID", "0"},
                    {"SLURM_LOCALID", "0"},
                    {"SLURM_NODEID", "0"},
                    {"SLURM_NTASKS", "4"},
                    {"SLURM_JOB_NODELIST", "node1"},
                    {"SLURM_TASKS_PER_NODE", "4"}}),
            std::nullopt);
}

TEST(LaunchedBySlurm, IsNoShellOfSalloc) {
  EXPECT_EQ(detect({{"SLURM_NTASKS", "4"}, {"SLURM_JOB_NODELIST", "node1"}}), std::nullopt);
  EXPECT_EQ(detect({{"SLURM_STEP_ID", "4294967290"},
                    {"SLURM_PROCID", "0"},
                    {"SLURM_LOCALID", "0"},
                    {"SLURM_NODEID", "0"},
                    {"SLURM_NTASKS", "4"},
                    {"SLURM_STEP_NUM_TASKS", "1"},
                    {"SLURM_STEP_TASKS_PER_NODE", "1"}}),
            std::nullopt);
}

TEST(LaunchedByFlux, HasAllProcessesOnAnOnlyHost) {
  const auto found = detect(kFlux + Variables{{"FLUX_JOB_NNODES", "1"}});
  EXPECT_EQ(place(found), "1 of 4, 1 of 4 here");
  EXPECT_EQ(found->host, 0);
}

TEST(Contradiction, IsNothingWhereMpiAgrees) {
  EXPECT_FALSE(contradiction(*detect(kOpenMpi), 1, 4));
}

TEST(Contradiction, NamesBothSidesAndTheVariable) {
  for (const auto& [rank, world] : {std::pair{0, 1}, std::pair{1, 1}, std::pair{0, 4}}) {
    const auto error = contradiction(*detect(kMpich), rank, world);
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code(), ExitCode::usage);
    EXPECT_EQ(error->what(),
              fmt::format("this is rank 1 of 4 by MPICH's or Intel MPI's mpirun (PMI_RANK), but "
                          "rank {} of {} by MPI",
                          rank, world));
    EXPECT_THAT(error->hint(), HasSubstr("srun --mpi=pmix; if PMI_RANK is left over"));
  }
}

}  // namespace
}  // namespace lockstep::spec
