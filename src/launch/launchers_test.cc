#include "launch/launchers.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "launch/slurm.h"
#include "tests/golden.h"

namespace lockstep::launch {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

spec::Host host(const std::string& name, int slots = 0) {
  return {.name = name, .address = name, .ssh = name, .slots = slots};
}

Job job(int devices, int servers = 0) {
  return {.id = "sweep7.lenet_d4.1",
          .program = "/opt/lockstep",
          .flags = {"--model=lenet", "--data_dir=/my data"},
          .devices = devices,
          .servers = servers,
          .result_dir = "/home/me/results/lenet d4/1"};
}

// Three hosts with nothing of ours; the second has another address for its peers.
Site apart() {
  Site site = {.hosts = {host("node1", 2), host("node2", 2), host("node3", 2)},
               .remote_dir = "/tmp/lockstep",
               .build = "c0ffee"};
  site.hosts[1].address = "10.0.0.2";
  return site;
}

// All commands as one could paste them, each behind its name.
std::string text(const std::vector<Command>& commands) {
  std::string lines;
  for (const Command& command : commands) {
    lines += fmt::format(
        "# {}{}{}\n{}\n\n", command.name, command.host.empty() ? "" : " on " + command.host,
        command.ends_with_input ? ", ends with its input" : "", shell_line(command));
  }
  return lines;
}

void expect_commands(const std::string& name, const std::vector<Command>& commands) {
  expect_golden("src/launch/golden/" + name + ".txt", text(commands));
}

template <typename Function>
std::string refusal(const Function& function) {
  try {
    function();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    return fmt::format("{} | {}", error.what(), error.hint());
  }
  return "accepted";
}

std::vector<Command> commands(const char* launcher, const Job& what, const Site& where) {
  return find_launcher(launcher).commands(what, where);
}
std::vector<Command> reach(const char* launcher, const Job& what, const Site& where) {
  return find_launcher(launcher).reach(what, where);
}
std::vector<Command> collect(const char* launcher, const Job& what, const Site& where) {
  return find_launcher(launcher).collect(what, where);
}

TEST(LocalLauncher, StartsAThreadForEachDevice) {
  expect_commands("local", commands("local", job(4, 2), {}));
  EXPECT_THAT(collect("local", job(4), {}), IsEmpty());
}

TEST(LocalLauncher, StartsAProcessForEachDeviceOnDemand) {
  expect_commands("local_processes",
                  commands("local", job(2, 1), {.hosts = {}, .port = 5000, .processes = true}));
}

TEST(SshLauncher, StartsTheProcessesOfAHostOverOneConnection) {
  expect_commands("ssh", commands("ssh", job(3), apart()));
  expect_commands("ssh_collect", collect("ssh", job(3), apart()));
}

TEST(SshLauncher, GoesWhereAndHowItIsTold) {
  Site site = apart();
  site.ssh = {.config = "/etc/my ssh", .user = "ubuntu", .key = "/keys/a.pem", .port = 2222};
  site.hosts[1].user = "admin";
  site.hosts[1].port = 22;
  expect_commands("ssh_options", commands("ssh", job(3), site));
}

TEST(SshLauncher, NeedsNoSshForThisMachine) {
  Site site = {.hosts = {host("localhost", 2)}, .remote_dir = "/tmp/lockstep"};
  site.hosts[0].here = true;
  expect_commands("ssh_here", commands("ssh", job(2), site));
  EXPECT_THAT(collect("ssh", job(2), site), IsEmpty());
}

TEST(SshLauncher, UsesTheFilesThatAllHostsShare) {
  Site site = apart();
  site.remote_dir = "";
  expect_commands("ssh_shared", commands("ssh", job(1), site));
  EXPECT_THAT(collect("ssh", job(1), site), IsEmpty());
}

TEST(SshLauncher, TellsWhetherTheHostsOfAJobAnswer) {
  Site site = apart();
  site.hosts[0].here = true;
  expect_commands("ssh_reach", reach("ssh", job(3), site));
  EXPECT_EQ(reach("mpi", job(3), site), reach("ssh", job(3), site));
  EXPECT_THAT(reach("slurm", job(3), site), IsEmpty());
}

TEST(SshLauncher, RefusesAFirstHostThatOthersCannotReach) {
  const Site site = {.hosts = {host("localhost", 1), host("node2", 1)}};
  EXPECT_EQ(refusal([&] { commands("ssh", job(2), site); }),
            "node2 cannot reach the first host as localhost | "
            "name the first host as the others know it");
  EXPECT_THAT(collect("mpi", job(2), site), IsEmpty());  // mpirun knows better
}

TEST(SshLauncher, RefusesADirectoryThatDependsOnWhereOneStands) {
  Site site = apart();
  site.remote_dir = "lockstep";
  EXPECT_EQ(refusal([&] { commands("ssh", job(2), site); }),
            "remote_dir 'lockstep' is no absolute path | "
            "name a directory that every host may make, such as /tmp/lockstep");
}

TEST(MpiLauncher, PlacesRanksInOrder) {
  Site site = apart();
  site.remote_dir = "";
  expect_commands("mpi", commands("mpi", job(5), site));
}

TEST(MpiLauncher, GivesServersAndHostsApartTheirOwnContexts) {
  Site site = apart();
  site.hosts[0].here = true;
  site.root = true;
  site.ssh.key = "/keys/a.pem";
  site.extra = {"--mca", "btl_tcp_if_include", "eth0"};
  expect_commands("mpi_apart", commands("mpi", job(4, 2), site));
  expect_commands("mpi_collect", collect("mpi", job(4, 2), site));
}

TEST(MpiLauncher, NeedsNoHostsForThisMachine) {
  expect_commands("mpi_here", commands("mpi", job(2, 1), {}));
}

TEST(MpiLauncher, RefusesHostsWithAUserOfTheirOwn) {
  Site site = apart();
  site.hosts[2].user = "ubuntu";
  EXPECT_EQ(refusal([&] { commands("mpi", job(2), site); }),
            "mpirun goes to all hosts with the same user and port, and node3 has its own | "
            "write them into ~/.ssh/config instead");
}

TEST(SlurmLauncher, NamesTheHostOfEveryTask) {
  Site site = apart();
  site.remote_dir = "";
  site.hosts[1].address = "node2";
  site.extra = {"--mem=0"};
  expect_commands("slurm", commands("slurm", job(3, 2), site));
  EXPECT_EQ(refusal([] { commands("slurm", job(2), {}); }),
            "srun needs an allocation, and there is none | start this within salloc or sbatch");
}

TEST(SlurmBatch, RunsACommandOnItsFirstHost) {
  const Batch batch = {.name = "lockstep-7",
                       .hosts = 4,
                       .tasks_per_host = 2,
                       .time_limit = 3725,
                       .directory = "/home/me",
                       .output = "/home/me/50%.out",
                       .log = "/home/me/50%.log",
                       .options = {"--partition=gpu", "--constraint=gpu"},
                       .command = {"/opt/lockstep", "sweep", "--models=lenet:2,resnet50:32",
                                   "--result_dir=my results"}};
  expect_golden("src/launch/golden/sbatch.sh", sbatch_script(batch));
  expect_commands("sbatch", {submission(batch, "/home/me/sweep.sh")});
}

TEST(Servers, AreSpreadOverTheHostsOfDevices) {
  Site site = apart();
  site.remote_dir = "";
  EXPECT_THAT(commands("slurm", job(3, 3), site)[0].argv,
              testing::Contains("--nodelist=node1,node1,10.0.0.2,node1,node1,10.0.0.2"));
  site.servers_per_host = 2;
  EXPECT_THAT(commands("slurm", job(3, 3), site)[0].argv,
              testing::Contains("--nodelist=node1,node1,10.0.0.2,node1,node1,10.0.0.2"));
}

TEST(Servers, MayHaveTheFirstHostsForThemselves) {
  Site site = apart();
  site.remote_dir = "";
  site.servers_apart = true;
  site.servers_per_host = 2;
  EXPECT_THAT(commands("slurm", job(3, 2), site)[0].argv,
              testing::Contains("--nodelist=10.0.0.2,10.0.0.2,node3,node1,node1"));
  EXPECT_THAT(
      commands("ssh", job(3, 2), site),
      ElementsAre(testing::Field(&Command::name, "node2"), testing::Field(&Command::name, "node3"),
                  testing::Field(&Command::name, "node1")));
  EXPECT_EQ(refusal([&] { commands("slurm", job(1, 5), site); }),
            "5 servers, 2 on each host, leave no host of 3 for devices | "
            "name more hosts, or let servers and devices share them");
}

TEST(Servers, ThatDoNotFitAreRefused) {
  Site site = apart();
  site.servers_per_host = 1;
  EXPECT_EQ(refusal([&] { commands("slurm", job(4, 3), site); }),
            "3 servers do not fit on 2 hosts of 1 server each | "
            "allow more servers on a host, or ask for fewer");
}

TEST(Launchers, AreFoundByName) {
  EXPECT_EQ(find_launcher("ssh").name, "ssh");
  EXPECT_EQ(refusal([] { find_launcher("slurmm"); }),
            "unknown launcher 'slurmm' | did you mean slurm? known: local, ssh, mpi, slurm");
}

TEST(ShellLine, IsReadBackByAShell) {
  EXPECT_EQ(shell_quoted("--model=resnet50"), "--model=resnet50");
  EXPECT_EQ(shell_quoted(""), "''");
  EXPECT_EQ(shell_quoted("it's $HOME; `x` \"y\""), R"('it'\''s $HOME; `x` "y"')");
  EXPECT_EQ(shell_line(Command{
                .name = "a", .argv = {"echo", "a b"}, .environment = {{"X", "1"}, {"Y", "2 3"}}}),
            "X=1 Y='2 3' echo 'a b'");
}

}  // namespace
}  // namespace lockstep::launch
