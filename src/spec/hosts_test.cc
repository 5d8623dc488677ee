#include "spec/hosts.h"

#include <gmock/gmock.h>

#include <map>

#include "base/error.h"
#include "base/files.h"

namespace lockstep::spec {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Host host(const std::string& name, int slots = 0) {
  return {.name = name, .address = name, .ssh = name, .slots = slots};
}

// "file:2: what is wrong | hint"
template <typename Function>
std::string refusal(const Function& parse) {
  try {
    parse();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    EXPECT_FALSE(error.hint().empty()) << error.what();
    return error.what();
  }
  return "accepted";
}

std::string file_refusal(const std::string& text) {
  return refusal([&] { parse_hosts_file(text, "nodes"); });
}

Getenv environment(const std::map<std::string, std::string>& variables) {
  return [variables](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  };
}

// A file of a test, gone with it.
class File {
 public:
  explicit File(const std::string& content) : path_(testing::TempDir() + "lockstep_hosts_test") {
    write_file(path_, content);
  }
  ~File() { std::filesystem::remove(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

TEST(HostsFile, HasAnAddressAndWhatSshCallsIt) {
  Host node1 = host("node1");
  node1.address = "ip-10-0-0-1.internal";
  Host node2 = host("n2");
  node2.address = "10.0.0.2";
  node2.user = "ubuntu";
  EXPECT_THAT(parse_hosts_file("# two hosts\n\n"
                               "ip-10-0-0-1.internal node1\r\n"
                               "10.0.0.2\tubuntu@n2  # the second\n",
                               "nodes"),
              ElementsAre(node1, node2));
}

TEST(HostsFile, MayHaveOneWordALine) {
  EXPECT_THAT(parse_hosts_file("node1\nfe80::1", "nodes"),
              ElementsAre(host("node1"), host("fe80::1")));
}

TEST(HostsFile, MayBeOneOfOpenMpiOrOfMpich) {
  EXPECT_THAT(parse_hosts_file("node1 slots=4\nnode2 slots=2 max_slots=8\nnode3\n", "hostfile"),
              ElementsAre(host("node1", 4), host("node2", 2), host("node3")));
  EXPECT_THAT(parse_hosts_file("node1:4\nnode2:2\n", "machines"),
              ElementsAre(host("node1", 4), host("node2", 2)));
}

TEST(HostsFile, WithoutHostsIsRefused) {
  EXPECT_EQ(file_refusal(""), "nodes: names no host");
  EXPECT_EQ(file_refusal("# node1\n \n"), "nodes: names no host");
}

TEST(HostsFile, WithAHostThatIsThereTwiceIsRefusedAtItsLine) {
  EXPECT_EQ(file_refusal("node1\nnode2\nnode1\n"), "nodes:3: host node1 is there already");
  EXPECT_EQ(file_refusal("10.0.0.1 a\n10.0.0.1 b\n"), "nodes:2: host b is there already");
}

TEST(HostsFile, WithTwoHostsThatSshReachesByOneNameIsRefusedAtItsLine) {
  EXPECT_EQ(file_refusal("10.0.0.1 worker\n10.0.0.2 worker\n"),
            "nodes:2: ssh calls 10.0.0.2 worker, and 10.0.0.1 as well");
  try {
    parse_hosts_file("10.0.0.1 worker\n10.0.0.2 worker\n", "nodes");
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.hint(), HasSubstr("give every host a name of its own in ~/.ssh/config"));
  }
}

TEST(HostsFile, WithBadSlotsIsRefusedAtItsLine) {
  for (const char* slots : {"0", "-1", "many", "4x", "99999999999", ""}) {
    EXPECT_EQ(file_refusal(std::string("node1\nnode2 slots=") + slots),
              fmt::format("nodes:2: '{}' is no number of slots", slots));
  }
}

TEST(HostsFile, WithAHostileNameIsRefusedAtItsLine) {
  for (const char* name :
       {"-oProxyCommand=touch", "a;reboot", "$(reboot)", "`reboot`", "a|b", "a&b", "a'b", "a\"b",
        "a\\b", "a/b", "../a", "a>b", "a*", "a\x01", "ä"}) {
    const std::string expected = fmt::format("nodes:1: '{}' is no host", name);
    EXPECT_EQ(file_refusal(name), expected);
    EXPECT_EQ(file_refusal(std::string("10.0.0.1 ") + name),
              std::string(name).find('=') == std::string::npos
                  ? expected
                  : fmt::format("nodes:1: cannot make anything of '{}'", name));
  }
  EXPECT_EQ(file_refusal("-l@node1"), "nodes:1: '-l' is no user");
  EXPECT_EQ(file_refusal("node1 n1 ; reboot"), "nodes:1: cannot make anything of ';'");
  EXPECT_EQ(file_refusal(std::string(254, 'a')),
            "nodes:1: '" + std::string(254, 'a') + "' is no host");
}

TEST(PbsNodefile, CountsHowOftenAHostIsThere) {
  EXPECT_THAT(parse_pbs_nodefile("b\na\nb\nb\n", "nodefile"),
              ElementsAre(host("b", 3), host("a", 1)));
  EXPECT_EQ(refusal([] { parse_pbs_nodefile("a slots=2\n", "nodefile"); }),
            "nodefile:1: a line of a PBS nodefile is one name");
  EXPECT_EQ(refusal([] { parse_pbs_nodefile("\n", "nodefile"); }), "nodefile: names no host");
}

TEST(HostList, HasCounts) {
  Host second = host("node2", 4);
  second.user = "ubuntu";
  EXPECT_THAT(parse_host_list("node1:2, ubuntu@node2:4,node3,[fe80::1]:2,fe80::2"),
              ElementsAre(host("node1", 2), second, host("node3", 1), host("fe80::1", 2),
                          host("fe80::2", 1)));
}

TEST(HostList, IsRefusedWithTheEntryThatIsWrong) {
  const auto refused = [](const char* list) { return refusal([=] { parse_host_list(list); }); };
  EXPECT_EQ(refused(""), "host '': '' is no host");
  EXPECT_EQ(refused("a,,b"), "host '': '' is no host");
  EXPECT_EQ(refused("a:2,a:1"), "host 'a:1': host a is there already");
  EXPECT_EQ(refused("a:0"), "host 'a:0': '0' is no number of slots");
  EXPECT_EQ(refused("a b:1"), "host 'a b:1': 'a b' is no host");
  EXPECT_EQ(refused("-H:1"), "host '-H:1': '-H' is no host");
}

TEST(AddressLists, GiveEachHostOneForSshAndOneForItsPeers) {
  Host first = host("54.1.1.1");
  first.address = "10.0.0.1";
  Host second = host("54.1.1.2");
  second.address = "10.0.0.2";
  EXPECT_THAT(pair_addresses("54.1.1.1\n54.1.1.2\n", "public", "10.0.0.1\n10.0.0.2", "private"),
              ElementsAre(first, second));
  EXPECT_EQ(refusal([] { pair_addresses("a\nb\n", "public", "a\n", "private"); }),
            "private: 1 host, but 2 in public");
}

TEST(EnvironmentHosts, AreThoseOfASlurmAllocation) {
  EXPECT_THAT(hosts_of_environment(environment({{"SLURM_JOB_NODELIST", "gnode[08-09],login"},
                                                {"SLURM_TASKS_PER_NODE", "1(x3)"}})),
              ElementsAre(host("gnode08"), host("gnode09"), host("login")));
  EXPECT_THAT(hosts_of_environment(environment({{"SLURM_JOB_NODELIST", "n[1-3]"},
                                                {"SLURM_NTASKS", "9"},
                                                {"SLURM_TASKS_PER_NODE", "4(x2),1"}})),
              ElementsAre(host("n1", 4), host("n2", 4), host("n3", 1)));
}

TEST(EnvironmentHosts, AreThoseOfPbs) {
  const File file("a\na\n");
  const Getenv getenv = environment({{"PBS_NODEFILE", file.path()}});
  EXPECT_THAT(hosts_of_environment(getenv), ElementsAre(host("a", 2)));
  EXPECT_THAT(read_hosts_file(file.path(), getenv), ElementsAre(host("a", 2)));
  EXPECT_THAT(refusal([&] { read_hosts_file(file.path(), environment({})); }),
              HasSubstr("host a is there already"));
}

TEST(EnvironmentHosts, AreThoseOfTheDeepLearningStack) {
  const File file("deeplearning-worker1\ndeeplearning-worker2\n");
  const std::string path = file.path();
  EXPECT_THAT(hosts_of_environment(environment({{"DEEPLEARNING_WORKERS_PATH", path},
                                                {"DEEPLEARNING_WORKERS_COUNT", "1"},
                                                {"DEEPLEARNING_WORKER_GPU_COUNT", "8"}})),
              ElementsAre(host("deeplearning-worker1", 8)));
  for (const char* count : {"0", "3", "two"}) {
    EXPECT_EQ(refusal([&] {
                hosts_of_environment(environment(
                    {{"DEEPLEARNING_WORKERS_PATH", path}, {"DEEPLEARNING_WORKERS_COUNT", count}}));
              }),
              fmt::format("DEEPLEARNING_WORKERS_COUNT: '{}' is no number of the 2 hosts in {}",
                          count, path));
  }
}

TEST(EnvironmentHosts, AreNoneWhereNothingIsSet) {
  EXPECT_THAT(hosts_of_environment(environment({})), ElementsAre());
}

TEST(OwnNames, MarkThisMachine) {
  Hosts hosts = parse_hosts_file("10.0.0.1 a\n10.0.0.2 b\nc\nd\n", "nodes");
  hosts[3].port = 2222;
  const std::vector<std::string> own = {"10.0.0.2", "c", "d"};
  mark_here(hosts, own);
  EXPECT_THAT(hosts,
              ElementsAre(testing::Field(&Host::here, false), testing::Field(&Host::here, true),
                          testing::Field(&Host::here, true), testing::Field(&Host::here, false)));
}

}  // namespace
}  // namespace lockstep::spec
