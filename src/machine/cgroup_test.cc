#include "machine/cgroup.h"

#include <gtest/gtest.h>

#include "machine/fake_root.h"

namespace lockstep::machine {
namespace {

constexpr const char* kUnified =
    "29 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw";
constexpr const char* kSeparate =
    "31 23 0:28 / /sys/fs/cgroup ro - tmpfs tmpfs ro,mode=755\n"
    "33 31 0:30 / /sys/fs/cgroup/cpu,cpuacct rw shared:9 - cgroup cgroup rw,cpu,cpuacct\n"
    "34 31 0:31 / /sys/fs/cgroup/cpuset rw shared:8 - cgroup cgroup rw,cpuset\n"
    "35 31 0:32 / /sys/fs/cgroup/memory rw shared:7 - cgroup cgroup rw,memory";

TEST(CpuQuota, IsUnlimitedWithoutControlGroups) {
  const FakeRoot root;
  EXPECT_EQ(0, cpu_quota(root.path()));
}

TEST(CpuQuota, IsTimePerPeriodInVersion2) {
  FakeRoot root;
  root.put("proc/self/mountinfo", kUnified).put("proc/self/cgroup", "0::/job");
  root.put("sys/fs/cgroup/job/cpu.max", "250000 100000");
  EXPECT_EQ(2.5, cpu_quota(root.path()));
  root.put("sys/fs/cgroup/job/cpu.max", "max 100000");
  EXPECT_EQ(0, cpu_quota(root.path()));
}

TEST(CpuQuota, IsTheSmallestOfAllEnclosingGroups) {
  FakeRoot root;
  root.put("proc/self/mountinfo", kUnified).put("proc/self/cgroup", "0::/outer/middle/inner");
  root.put("sys/fs/cgroup/outer/cpu.max", "400000 100000");
  root.put("sys/fs/cgroup/outer/middle/cpu.max", "150000 100000");
  root.put("sys/fs/cgroup/outer/middle/inner/cpu.max", "max 100000");
  EXPECT_EQ(1.5, cpu_quota(root.path()));
  root.put("sys/fs/cgroup/outer/cpu.max", "50000 100000");
  EXPECT_EQ(0.5, cpu_quota(root.path()));
}

TEST(CpuQuota, IsReadFromTheCpuControllerOfVersion1) {
  FakeRoot root;
  root.put("proc/self/mountinfo", kSeparate);
  root.put("proc/self/cgroup",
           "4:memory:/elsewhere\n3:cpuset:/elsewhere\n2:cpu,cpuacct:/slurm/job");
  root.put("sys/fs/cgroup/cpu,cpuacct/slurm/job/cpu.cfs_quota_us", "300000");
  root.put("sys/fs/cgroup/cpu,cpuacct/slurm/job/cpu.cfs_period_us", "100000");
  root.put("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1");
  root.put("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000");
  EXPECT_EQ(3, cpu_quota(root.path()));
  root.put("sys/fs/cgroup/cpu,cpuacct/slurm/job/cpu.cfs_quota_us", "-1");
  EXPECT_EQ(0, cpu_quota(root.path()));
}

TEST(CpuQuota, IsReadFromAMixOfBothVersions) {
  FakeRoot root;
  root.put(
      "proc/self/mountinfo",
      std::string(kSeparate) + "\n41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw");
  root.put("proc/self/cgroup", "2:cpu,cpuacct:/job\n0::/init.scope");
  root.put("sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "200000");
  root.put("sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_period_us", "100000");
  EXPECT_EQ(2, cpu_quota(root.path()));
}

TEST(CpuQuota, IsFoundWhereAContainerMountsItsOwnGroup) {
  FakeRoot root;
  root.put("proc/self/mountinfo",
           "33 31 0:30 /docker/abc /sys/fs/cgroup/cpu ro - cgroup cgroup rw,cpu");
  root.put("proc/self/cgroup", "2:cpu:/docker/abc/inner");
  root.put("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "400000");
  root.put("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000");
  EXPECT_EQ(4, cpu_quota(root.path()));
  root.put("sys/fs/cgroup/cpu/inner/cpu.cfs_quota_us", "200000");
  root.put("sys/fs/cgroup/cpu/inner/cpu.cfs_period_us", "100000");
  EXPECT_EQ(2, cpu_quota(root.path()));
}

TEST(CpuQuota, StopsAtTheMountWhenThePathLeadsOutOfIt) {
  FakeRoot root;
  root.put("proc/self/mountinfo", kUnified).put("proc/self/cgroup", "0::/../../system.slice");
  root.put("sys/fs/cgroup/cpu.max", "100000 100000");
  root.put("sys/system.slice/cpu.max", "50000 100000");
  EXPECT_EQ(1, cpu_quota(root.path()));
}

TEST(CgroupMemoryLeft, IsNothingWithoutALimit) {
  FakeRoot root;
  EXPECT_EQ(std::nullopt, cgroup_memory_left(root.path()));
  root.put("proc/self/mountinfo", kUnified).put("proc/self/cgroup", "0::/");
  root.put("sys/fs/cgroup/memory.max", "max").put("sys/fs/cgroup/memory.current", "1000");
  EXPECT_EQ(std::nullopt, cgroup_memory_left(root.path()));
}

TEST(CgroupMemoryLeft, CountsWhatTheKernelWouldReclaimAsFree) {
  FakeRoot root;
  root.put("proc/self/mountinfo", kUnified).put("proc/self/cgroup", "0::/job");
  root.put("sys/fs/cgroup/job/memory.max", "10000");
  root.put("sys/fs/cgroup/job/memory.current", "7000");
  EXPECT_EQ(3000, cgroup_memory_left(root.path()));
  root.put("sys/fs/cgroup/job/memory.stat", "anon 2000\ninactive_file 4500\nactive_file 500");
  EXPECT_EQ(7500, cgroup_memory_left(root.path()));
}

TEST(CgroupMemoryLeft, IsTheSmallestOfAllEnclosingGroups) {
  FakeRoot root;
  root.put("proc/self/mountinfo", kSeparate).put("proc/self/cgroup", "7:memory:/a/b");
  root.put("sys/fs/cgroup/memory/a/b/memory.limit_in_bytes", "9223372036854771712");
  root.put("sys/fs/cgroup/memory/a/b/memory.usage_in_bytes", "100");
  root.put("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "1000");
  root.put("sys/fs/cgroup/memory/a/memory.usage_in_bytes", "900");
  root.put("sys/fs/cgroup/memory/a/memory.stat", "inactive_file 1\ntotal_inactive_file 50");
  EXPECT_EQ(150, cgroup_memory_left(root.path()));
  root.put("sys/fs/cgroup/memory/a/memory.usage_in_bytes", "1200");
  EXPECT_EQ(0, cgroup_memory_left(root.path()));
}

}  // namespace
}  // namespace lockstep::machine
