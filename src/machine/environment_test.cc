#include "machine/environment.h"

#include <gmock/gmock.h>

#include <map>
#include <optional>

#include "base/buffer.h"
#include "machine/fake_root.h"

namespace lockstep::machine {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;

constexpr std::int64_t kMiB = 1 << 20;

TEST(Environment, OfThisMachineIsKnown) {
  const Environment here = environment();
  EXPECT_FALSE(here.host_name.empty());
  EXPECT_GE(here.cpus, 1);
  EXPECT_GE(here.physical_cores, 1);
  EXPECT_GE(here.numa_nodes, 1);
  EXPECT_GT(here.memory_bytes, 0);
  EXPECT_GT(here.memory_available_bytes, 0);
  EXPECT_LE(here.memory_available_bytes, here.memory_bytes);
  EXPECT_FALSE(here.affinity.empty());
  EXPECT_THAT(here.kernel, MatchesRegex("Linux [0-9].*"));
  EXPECT_THAT(here.compiler, MatchesRegex("(gcc|clang) [0-9]+\\.[0-9]+\\.[0-9]+"));
  EXPECT_THAT(here.build, MatchesRegex("([0-9a-f]+|unknown) [A-Za-z]*"));
  EXPECT_THAT(here.libraries, IsEmpty());
}

TEST(Environment, ReadsWhatTheKernelSays) {
  FakeRoot root;
  root.put("proc/cpuinfo", "processor\t: 0\nmodel name\t: Imaginary 9000 CPU\nprocessor\t: 1");
  root.put("proc/meminfo", "MemTotal:  2048 kB\nMemFree:  10 kB\nMemAvailable:  1024 kB");
  root.put("proc/loadavg", "1.25 0.80 0.40 2/300 12345");
  root.put("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never");
  root.put("sys/devices/system/cpu/cpufreq/policy0/cpuinfo_max_freq", "2400000");
  root.put("sys/devices/system/cpu/cpufreq/policy0/scaling_governor", "performance");
  root.put("sys/devices/system/cpu/cpufreq/policy1/cpuinfo_max_freq", "3600000");
  root.put("sys/devices/system/cpu/cpufreq/policy1/scaling_governor", "powersave");
  root.put("sys/devices/system/cpu/intel_pstate/no_turbo", "1");
  root.put(".dockerenv", "");
  const Environment fake = environment(root.path());
  EXPECT_EQ("Imaginary 9000 CPU", fake.cpu_model);
  EXPECT_EQ(2 * kMiB, fake.memory_bytes);
  EXPECT_EQ(kMiB, fake.memory_available_bytes);
  EXPECT_EQ(1.25, fake.load_average);
  EXPECT_EQ("madvise", fake.huge_pages);
  EXPECT_EQ(3600, fake.mhz_max);
  EXPECT_EQ("performance, powersave", fake.governor);
  EXPECT_EQ("off", fake.turbo);
  EXPECT_THAT(fake.container, MatchesRegex("docker.*"));
}

TEST(Environment, KnowsTurboOfProcessorsWithoutPstate) {
  FakeRoot root;
  root.put("sys/devices/system/cpu/cpufreq/boost", "1");
  EXPECT_EQ("on", environment(root.path()).turbo);
  root.put("sys/devices/system/cpu/cpufreq/boost", "0");
  EXPECT_EQ("off", environment(root.path()).turbo);
}

TEST(Environment, LeavesEmptyWhatCannotBeRead) {
  const FakeRoot root;
  const Environment blind = environment(root.path());
  EXPECT_EQ("", blind.cpu_model);
  EXPECT_EQ(0, blind.mhz_max);
  EXPECT_EQ("", blind.governor);
  EXPECT_EQ("", blind.turbo);
  EXPECT_EQ("", blind.huge_pages);
  EXPECT_EQ(0, blind.memory_bytes);
  EXPECT_EQ(0, blind.memory_available_bytes);
  EXPECT_EQ(0, blind.cpu_quota);
  EXPECT_EQ(0, blind.load_average);
}

TEST(AvailableMemory, IsWhatTheControlGroupLeaves) {
  FakeRoot root;
  root.put("proc/meminfo", "MemAvailable:  1024 kB");
  root.put("proc/self/mountinfo", "29 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw");
  root.put("proc/self/cgroup", "0::/");
  root.put("sys/fs/cgroup/memory.max", "600000").put("sys/fs/cgroup/memory.current", "100000");
  EXPECT_EQ(500000, available_memory_bytes(root.path()));
  root.put("sys/fs/cgroup/memory.max", "600000000");
  EXPECT_EQ(kMiB, available_memory_bytes(root.path()));
}

TEST(ReservedMemory, IsWhatHugePagesAreSetAsideFor) {
  FakeRoot root;
  EXPECT_EQ(0, reserved_memory_bytes(root.path()));
  root.put("proc/meminfo", "HugePages_Total:  1\nHugetlb:  2048 kB");
  EXPECT_EQ(2 * kMiB, reserved_memory_bytes(root.path()));
}

TEST(PeakRss, GrowsWithWhatIsTouchedAndStays) {
  const std::int64_t before = peak_rss_bytes();
  EXPECT_GT(before, 0);
  {
    const Buffer buffer(64 * kMiB);
    for (float& x : buffer.floats()) x = 1;
  }
  EXPECT_GE(peak_rss_bytes(), before + 48 * kMiB);
}

TEST(Warnings, AreNoneForAQuietMachine) {
  Environment quiet;
  EXPECT_THAT(warnings(quiet), IsEmpty());
  quiet.cpus = 8;
  quiet.load_average = 0.3;
  quiet.governor = "performance";
  quiet.turbo = "off";
  quiet.huge_pages = "madvise";
  quiet.affinity = "0-3,6";
  quiet.cpu_quota = 5;
  EXPECT_THAT(warnings(quiet), IsEmpty());
}

TEST(Warnings, NameEverythingThatDisturbs) {
  Environment noisy;
  noisy.cpus = 8;
  noisy.load_average = 6.04;
  noisy.governor = "powersave";
  noisy.turbo = "on";
  noisy.huge_pages = "never";
  noisy.affinity = "0-3,6";
  noisy.cpu_quota = 2.5;
  EXPECT_THAT(warnings(noisy),
              ElementsAre(HasSubstr("load average is 6.0 on 8 processors"), HasSubstr("powersave"),
                          HasSubstr("turbo is on"),
                          HasSubstr("CPU quota of 2.5 is less than the 5 processors"),
                          HasSubstr("huge pages are off")));
}

TEST(Warnings, AdviseAGuestOnlyWhatItCanDo) {
  Environment guest;
  guest.governor = "powersave";
  guest.turbo = "on";
  EXPECT_THAT(warnings(guest), ElementsAre(HasSubstr("cpupower"), HasSubstr("no_turbo")));
  guest.hypervisor = "kvm";
  EXPECT_THAT(warnings(guest), Each(AllOf(HasSubstr("which this virtual machine cannot change"),
                                          Not(HasSubstr("cpupower")), Not(HasSubstr("firmware")))));
}

TEST(Findings, TellWhatIsWellWithItsFigure) {
  Environment quiet;
  quiet.cpus = 8;
  quiet.physical_cores = 4;
  quiet.load_average = 0.3;
  quiet.affinity = "0-3,6";
  quiet.memory_bytes = 16LL << 30;
  quiet.memory_available_bytes = 8LL << 30;
  quiet.build = "abc Release";
  quiet.compiler = "gcc 12";
  quiet.kernel = "Linux 6.1";
  quiet.libraries = {"oneDNN 2.6.3"};
  std::map<std::string, std::optional<double>> values;
  for (const Finding& finding : findings(quiet)) {
    EXPECT_EQ(finding.level, Level::ok) << finding.subject;
    values[finding.subject] = finding.value;
  }
  EXPECT_EQ(findings(quiet).front().sentence,
            "lockstep abc Release, gcc 12, oneDNN 2.6.3, Linux 6.1");
  EXPECT_EQ(values["cores"], 4);
  EXPECT_EQ(values["affinity"], 5);
  EXPECT_EQ(values["load"], 0.3);
  EXPECT_EQ(values["memory"], 8);
  EXPECT_EQ(values["quota"], std::nullopt);
}

TEST(Findings, CallMemoryThatFitsNothingAProblem) {
  Environment full;
  full.memory_bytes = 16LL << 30;
  full.memory_available_bytes = 1 << 20;
  EXPECT_EQ(worst(findings(full)), Level::problem);
  full.memory_available_bytes = 512 * kMiB;
  EXPECT_EQ(worst(findings(full)), Level::warning);
  EXPECT_THAT(warnings(full), ElementsAre(HasSubstr("too little for most networks; end what")));
}

}  // namespace
}  // namespace lockstep::machine
