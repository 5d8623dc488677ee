#include "cli/membership.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/files.h"

namespace lockstep::cli {
namespace {

using spec::JobName;
using spec::Transport;
using testing::ElementsAre;
using testing::HasSubstr;

spec::Trial trial_of(int devices) {
  spec::Trial trial;
  trial.devices = devices;
  return trial;
}

spec::Trial task_of(const std::string& workers, const std::string& servers, JobName job,
                    int index) {
  spec::Trial trial;
  trial.cluster.worker_hosts = workers;
  trial.cluster.ps_hosts = servers;
  trial.cluster.job_name = job;
  trial.cluster.task_index = index;
  return trial;
}

spec::Launched launched_of(int rank, int world, int local_rank, int local_world) {
  spec::Launched launched;
  launched.launcher = "a launcher";
  launched.rank_variable = "A_RANK";
  launched.rank = rank;
  launched.world = world;
  launched.local_rank = local_rank;
  launched.local_world = local_world;
  return launched;
}

TEST(Membership, IsAllOfTheWorldWithoutACluster) {
  const Membership member = membership(trial_of(3), std::nullopt);
  EXPECT_EQ(member.transport, Transport::threads);
  EXPECT_EQ(member.workers, 3);
  EXPECT_EQ(member.servers, 0);
  EXPECT_THAT(member.ranks, ElementsAre(0, 1, 2));
}

TEST(Membership, HasServersBehindTheWorkers) {
  spec::Trial trial = trial_of(2);
  trial.exchange.num_ps = 1;
  EXPECT_THAT(membership(trial, std::nullopt).ranks, ElementsAre(0, 1, 2));
  EXPECT_EQ(membership(trial, std::nullopt).servers, 1);
  trial.exchange.variable_update = "replicated";
  EXPECT_EQ(membership(trial, std::nullopt).servers, 0);
}

TEST(Membership, HasAServerForEveryWorkerWhereServersMustNotWait) {
  spec::Trial trial = trial_of(2);
  trial.exchange.cross_replica_sync = false;
  EXPECT_EQ(membership(trial, std::nullopt).servers, 2);
}

TEST(Membership, IsATaskOfTheListedCluster) {
  spec::Trial trial = task_of("a:1,b:1,a:2", "c:5", JobName::worker, 2);
  trial.devices = 2;
  const Membership member = membership(trial, std::nullopt);
  EXPECT_EQ(member.transport, Transport::tcp);
  EXPECT_EQ(member.workers, 6);
  EXPECT_EQ(member.servers, 1);
  EXPECT_THAT(member.ranks, ElementsAre(4, 5));
  EXPECT_EQ(member.local_workers, 4);
  EXPECT_EQ(member.local_first, 2);
  EXPECT_EQ(member.coordinator, "a:1");
  EXPECT_EQ(member.listen, "a:2");
}

TEST(Membership, IsAServerOfTheListedCluster) {
  const Membership member = membership(task_of("a:1,b:1", "c:5,d:5", JobName::ps, 1), std::nullopt);
  EXPECT_THAT(member.ranks, ElementsAre(3));
  EXPECT_FALSE(member.trains());
  EXPECT_EQ(member.listen, "d:5");
}

TEST(Membership, SharesServersAmongWorkerProcessesWhereThereAreNone) {
  spec::Trial trial = task_of("a:1,b:1", "", JobName::worker, 1);
  trial.exchange.num_ps = 3;
  const Membership member = membership(trial, std::nullopt);
  EXPECT_EQ(member.world(), 5);
  EXPECT_THAT(member.ranks, ElementsAre(1, 3));
}

TEST(Membership, FollowsTheLauncher) {
  const Membership member = membership(trial_of(1), launched_of(3, 4, 1, 2));
  EXPECT_EQ(member.transport, Transport::mpi);
  EXPECT_EQ(member.workers, 4);
  EXPECT_THAT(member.ranks, ElementsAre(3));
  EXPECT_EQ(member.local_workers, 2);
  EXPECT_EQ(member.local_first, 1);
}

TEST(Membership, TakesTheLastProcessesOfALauncherForServers) {
  spec::Trial trial = trial_of(1);
  trial.exchange.num_ps = 1;
  const Membership member = membership(trial, launched_of(2, 3, 0, 1));
  EXPECT_EQ(member.workers, 2);
  EXPECT_THAT(member.ranks, ElementsAre(2));
  EXPECT_FALSE(member.trains());
}

TEST(Membership, DoesNotCountServersAmongTheWorkersOfAHost) {
  spec::Trial trial = trial_of(1);
  trial.exchange.num_ps = 1;
  EXPECT_EQ(membership(trial, launched_of(0, 3, 0, 3)).local_workers, 2);
}

TEST(Membership, OfAProcessAloneFollowsTheLauncherWhereItIsAskedTo) {
  const spec::Launched alone = launched_of(0, 1, 0, 1);
  spec::Trial trial = trial_of(1);
  EXPECT_EQ(membership(trial, alone).transport, Transport::threads);
  EXPECT_EQ(membership(trial_of(2), alone).workers, 2);
  trial.exchange.all_reduce_spec = "ring:2k:vendor";
  EXPECT_EQ(membership(trial, alone).transport, Transport::mpi);
  trial = trial_of(1);
  trial.cluster.transport = Transport::mpi;
  const Membership member = membership(trial, alone);
  EXPECT_EQ(member.transport, Transport::mpi);
  EXPECT_THAT(member.ranks, ElementsAre(0));
  EXPECT_EQ(member.world(), 1);
}

TEST(Membership, RefusesThreadsInProcessesThatWouldNotKnowOfEachOther) {
  spec::Trial trial = trial_of(1);
  trial.cluster.transport = Transport::threads;
  EXPECT_EQ(membership(trial, launched_of(0, 1, 0, 1)).transport, Transport::threads);
  try {
    membership(trial, launched_of(0, 2, 0, 2));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    EXPECT_THAT(error.what(), HasSubstr("--transport=threads in each of 2 processes (A_RANK)"));
    EXPECT_THAT(error.hint(), HasSubstr("unset it"));
  }
}

// Each names what the next attempt is not refused for.
TEST(Membership, HintsAtWhatWorks) {
  const auto hint = [](Transport transport, int devices,
                       const std::optional<spec::Launched>& launched) {
    spec::Trial trial = trial_of(devices);
    trial.cluster.transport = transport;
    try {
      membership(trial, launched);
    } catch (const Error& error) {
      return error.hint();
    }
    return std::string("not refused");
  };
  EXPECT_EQ(hint(Transport::mpi, 3, std::nullopt),
            "put mpirun --bind-to none -np 3 before the command, and leave --devices out");
  EXPECT_THAT(hint(Transport::mpi, 1, std::nullopt), HasSubstr("-np 2"));
  EXPECT_EQ(hint(Transport::automatic, 2, launched_of(0, 2, 0, 2)),
            "leave --devices out and start 4 processes; or set LOCKSTEP_COORDINATOR=host:port for "
            "all ranks and use --transport tcp");
  EXPECT_EQ(hint(Transport::automatic, 1, launched_of(0, 4, 0, 4)), "not refused");
  EXPECT_THAT(hint(Transport::tcp, 2, launched_of(0, 2, 0, 2)),
              HasSubstr("or use --transport mpi without --devices"));
  spec::Launched meeting = launched_of(0, 2, 0, 2);
  meeting.coordinator = spec::Address{"127.0.0.1", 4000};
  EXPECT_EQ(hint(Transport::tcp, 2, meeting), "not refused");
}

TEST(Membership, RefusesTwoNamesOfOneHost) {
  const auto refuse = [](const std::string& workers, std::vector<int> host_of, int devices) {
    const spec::Trial trial = task_of(workers, "", JobName::worker, 0);
    refuse_two_names(trial.cluster, {std::move(host_of)}, devices);
  };
  EXPECT_NO_THROW(refuse("a:1,b:1,a:2", {0, 1, 0}, 1));
  EXPECT_NO_THROW(refuse("a:1,a:2", {0, 1}, 1));  // containers of one host
  EXPECT_NO_THROW(refuse_two_names({}, {{0, 0}}, 2));
  try {
    refuse("a:1,b:1,c:1", {0, 0, 1, 1, 0, 0, 2}, 2);  // the last one is a server
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    EXPECT_THAT(error.what(), HasSubstr("a and c in --worker_hosts are the same host"));
  }
}

TEST(Membership, RefusesWhatDoesNotGoTogether) {
  EXPECT_THROW(membership(trial_of(2), launched_of(0, 2, 0, 2)), Error);
  spec::Trial trial = trial_of(1);
  trial.cluster.transport = Transport::tcp;
  EXPECT_THROW(membership(trial, std::nullopt), Error);
  EXPECT_THROW(membership(trial, launched_of(0, 2, 0, 2)), Error);
  trial.cluster.transport = Transport::mpi;
  EXPECT_THROW(membership(trial, std::nullopt), Error);
  trial = trial_of(1);
  trial.exchange.cross_replica_sync = false;
  EXPECT_THROW(membership(trial, launched_of(0, 2, 0, 2)), Error);
  trial.exchange.num_ps = 2;
  EXPECT_THROW(membership(trial, launched_of(0, 2, 0, 2)), Error);
}

TEST(Membership, HasAPortForEachRankAndSomeToSpareAfterThoseThatAreListed) {
  using comm::PortRange;
  EXPECT_EQ(membership(task_of("a:5000,a:5007", "", JobName::worker, 0), {}).ports,
            (PortRange{5008, 2 + 16}));
  spec::Trial served = task_of("a:1,a:2", "b:9", JobName::ps, 0);
  EXPECT_EQ(membership(served, {}).ports, (PortRange{10, 3 + 16}));
  spec::Launched launched = launched_of(0, 3, 0, 1);
  launched.coordinator = spec::Address{"a", 2230};
  EXPECT_EQ(membership(trial_of(1), launched).ports, (PortRange{2231, 3 + 16}));
  EXPECT_EQ(membership(trial_of(2), launched).ports, (PortRange{2231, 6 + 16}));
  launched.coordinator->port = 65532;
  EXPECT_EQ(membership(trial_of(1), launched).ports, (PortRange{65533, 3}));
  launched.coordinator->port = 65533;
  EXPECT_THROW(membership(trial_of(1), launched), Error);
}

TEST(Token, IsThatOfItsFileOrOfTheEnvironment) {
  const auto none = [](const char*) -> const char* { return nullptr; };
  const auto variable = [](const char* name) -> const char* {
    return std::string_view(name) == "LOCKSTEP_TOKEN" ? "secret" : nullptr;
  };
  EXPECT_EQ(token_of({}, none), "");
  EXPECT_EQ(token_of({}, variable), "secret");
  const std::string file = testing::TempDir() + "token_for_test";
  write_file(file, "in a file\n");
  EXPECT_EQ(token_of({.token_file = file}, variable), "in a file");
  write_file(file, " \n");
  EXPECT_THROW(token_of({.token_file = file}, variable), Error);
  EXPECT_THROW(token_of({.token_file = file + ".not"}, variable), Error);
}

}  // namespace
}  // namespace lockstep::cli
