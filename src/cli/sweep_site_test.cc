#include "cli/sweep_site.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <map>

#include "base/error.h"
#include "base/files.h"

namespace lockstep::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// A file that is gone with the test.
class File {
 public:
  explicit File(const std::string& content) {
    close(mkstemp(path_.data()));
    write_file(path_, content);
  }
  ~File() { std::filesystem::remove(path_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_ = (std::filesystem::temp_directory_path() / "hostsXXXXXX").string();
};

struct World {
  std::map<std::string, std::string> site;
  std::string launcher = {};
  std::map<std::string, std::string> environment = {};
  std::vector<int> devices = {};
  std::vector<int> num_ps = {0};

  Place place() const {
    spec::Sweep sweep;
    sweep.site = site;
    sweep.launcher = launcher;
    sweep.devices = devices;
    sweep.num_ps = num_ps;
    const std::vector<std::string> own = {"here", "localhost"};
    return place_of(
        sweep,
        [&](const char* name) {
          const auto found = environment.find(name);
          return found == environment.end() ? nullptr : found->second.c_str();
        },
        own);
  }

  std::string refusal() const {
    try {
      place();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::usage);
      return error.what();
    }
    return "none";
  }
};

TEST(PlaceOf, ASweepWithoutHostsIsThisMachine) {
  const Place place = World().place();
  EXPECT_EQ(place.launcher->name, "local");
  EXPECT_EQ(place.devices, 0);
  EXPECT_THAT(place.site.hosts, IsEmpty());
}

TEST(PlaceOf, OtherHostsAreReachedBySsh) {
  const Place place = World{.site = {{"hosts", "node1:4,node2:2"}, {"ssh_user", "me"}}}.place();
  EXPECT_EQ(place.launcher->name, "ssh");
  EXPECT_EQ(place.devices, 6);
  EXPECT_EQ(place.site.hosts[1].name, "node2");
  EXPECT_EQ(place.site.ssh.user, "me");
}

TEST(PlaceOf, AFileWithThisMachineAloneNeedsNoSshd) {
  const File nodes("localhost me\n");
  const World world{.site = {{"hosts_file", nodes.path()}, {"devices_per_host", "2"}}};
  EXPECT_EQ(world.place().launcher->name, "local");
  EXPECT_EQ(world.place().devices, 2);
}

TEST(PlaceOf, HostsOfAFileThatDoNotTellTheirDevicesHaveThoseOfTheFlag) {
  const File nodes("10.0.0.1 node1\n10.0.0.2 node2\n");
  const World world{.site = {{"hosts_file", nodes.path()}, {"devices_per_host", "8"}}};
  EXPECT_EQ(world.place().devices, 16);
  EXPECT_EQ(world.place().site.hosts[0].slots, 8);
}

TEST(PlaceOf, AFlagTellsTheDevicesOfHostsThatTheEnvironmentNames) {
  World world{.site = {{"devices_per_host", "4"}},
              .environment = {{"SLURM_JOB_ID", "7"},
                              {"SLURM_JOB_NODELIST", "n[1-2]"},
                              {"SLURM_NTASKS", "2"},
                              {"SLURM_TASKS_PER_NODE", "1(x2)"}}};
  EXPECT_EQ(world.place().devices, 8);
  world.site.clear();
  EXPECT_EQ(world.place().devices, 2);
}

TEST(PlaceOf, TheFirstHostsAreThoseThatANumberKeeps) {
  const std::map<std::string, std::string> three = {{"hosts", "node1:4,node2:2,node3:1"}};
  World world{.site = three};
  world.site["num_hosts"] = "2";
  EXPECT_EQ(world.place().devices, 6);
  EXPECT_EQ(world.place().site.hosts.back().name, "node2");
  world.site["num_hosts"] = "4";
  EXPECT_EQ(world.refusal(), "--num_hosts=4, but there are 3");
  EXPECT_EQ((World{.site = {{"num_hosts", "2"}}}.refusal()), "--num_hosts=2, but there is 1");
}

TEST(PlaceOf, ThisMachineAloneTakesNoMoreThanItsFileSaysAndNoCopies) {
  const File nodes("localhost me\n");
  World world{
      .site = {{"hosts_file", nodes.path()}, {"devices_per_host", "2"}, {"remote_dir", "/tmp"}},
      .devices = {1, 2}};
  EXPECT_EQ(world.place().site.remote_dir, "");
  world.devices = {1, 2, 3};
  EXPECT_THAT(world.refusal(), HasSubstr("3 devices do not fit on 2 slots"));
}

TEST(PlaceOf, PublicAndPrivateAddressesArePaired) {
  const File inner("10.0.0.1\n");
  const File outer("52.0.0.1\n");
  const World world{.site = {{"hosts_file", inner.path()}, {"ssh_hosts_file", outer.path()}}};
  EXPECT_EQ(world.place().site.hosts[0].address, "10.0.0.1");
  EXPECT_EQ(world.place().site.hosts[0].ssh, "52.0.0.1");
}

TEST(PlaceOf, AnAllocationIsWhereItRunsUnlessLocalIsSaid) {
  const std::map<std::string, std::string> slurm = {{"SLURM_JOB_ID", "7"},
                                                    {"SLURM_JOB_NODELIST", "n[1-2]"},
                                                    {"SLURM_NTASKS", "6"},
                                                    {"SLURM_TASKS_PER_NODE", "3(x2)"}};
  EXPECT_EQ((World{.site = {}, .launcher = "", .environment = slurm}.place().launcher->name),
            "slurm");
  EXPECT_EQ((World{.site = {}, .launcher = "slurm", .environment = slurm}.place().devices), 6);
  EXPECT_EQ((World{.site = {}, .launcher = "local", .environment = slurm}.place().devices), 0);
}

TEST(PlaceOf, SlurmWithoutAnAllocationIsABatchJobWithHostsForAllDevices) {
  World world{.site = {{"devices_per_host", "4"}, {"sbatch_args", "--partition=long  --time=60"}},
              .launcher = "slurm"};
  world.devices = {1, 9};
  const Place place = world.place();
  ASSERT_TRUE(place.batch);
  EXPECT_EQ(place.devices, 9);
  EXPECT_EQ(place.batch->hosts, 3);
  EXPECT_EQ(place.batch->tasks_per_host, 4);
  EXPECT_THAT(place.batch->options, ElementsAre("--exclusive", "--partition=long", "--time=60"));
  EXPECT_FALSE((World{.site = {{"hosts", "node1"}}}.place().batch));
}

TEST(PlaceOf, ABatchJobHasHostsForServersApart) {
  World world{.site = {{"servers_apart", "true"}, {"servers_per_host", "2"}}, .launcher = "slurm"};
  world.devices = {2};
  world.num_ps = {1, 3};
  EXPECT_EQ(world.place().batch->hosts, 4);
}

TEST(PlaceOf, ABatchJobHasTheHostsThatAreNamed) {
  const World world{.site = {{"hosts", "node1:4,node7:2"}}, .launcher = "slurm"};
  EXPECT_EQ(world.place().devices, 6);
  EXPECT_EQ(world.place().batch->hosts, 2);
  EXPECT_EQ(world.place().batch->tasks_per_host, 0);
  EXPECT_THAT(world.place().batch->options, ElementsAre("--nodelist=node1,node7", "--exclusive"));
}

TEST(PlaceOf, RefusesWhatDoesNotGoTogether) {
  EXPECT_EQ((World{.site = {{"hosts", "a"}, {"hosts_file", "f"}}}.refusal()),
            "--hosts and --hosts_file exclude each other");
  EXPECT_EQ((World{.site = {{"ssh_hosts_file", "f"}}}.refusal()),
            "--ssh_hosts_file needs --hosts_file");
  EXPECT_EQ((World{.site = {}, .launcher = "ssh"}.refusal()), "--launcher=ssh needs hosts");
  EXPECT_EQ((World{.site = {}, .launcher = "slurm"}.refusal()),
            "--launcher=slurm outside an allocation needs devices or hosts");
  EXPECT_THAT((World{.site = {{"hosts", "node1"}}, .launcher = "local"}.refusal()),
              HasSubstr("other hosts are named"));
}

}  // namespace
}  // namespace lockstep::cli
