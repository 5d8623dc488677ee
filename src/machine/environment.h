#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "machine/finding.h"

namespace lockstep::machine {

// What a result must say about the machine that it was measured on. Empty or 0: not known, never a
// guess.
struct Environment {
  std::string host_name;
  std::string cpu_model;
  int cpus = 0;  // online
  int physical_cores = 0;
  int numa_nodes = 0;
  std::string instruction_set;  // the widest of ours: "avx512", "avx2", "sse2"
  double mhz_max = 0;
  std::string governor;    // cpufreq's
  std::string turbo;       // "on", "off"
  std::string huge_pages;  // transparent: "always", "madvise", "never"
  std::int64_t memory_bytes = 0;
  std::int64_t memory_available_bytes = 0;  // min of the system's and the cgroup's limit
  double cpu_quota = 0;
  std::string affinity;     // "0-3"
  double load_average = 0;  // over one minute, at start
  std::string container;    // "docker", "kvm", "docker, kvm", ...
  std::string hypervisor;   // the "kvm" of these: a guest cannot change what its host decides
  std::string kernel;
  std::string compiler;
  std::string build;                   // commit and type of build
  std::vector<std::string> libraries;  // "oneDNN 2.6.3", ...
};
// `root` is where /proc and /sys are looked for. Libraries are named by those who link them.
Environment environment(const std::filesystem::path& root = "/");

// What there is to say of it; nothing of what is not known.
std::vector<Finding> findings(const Environment& environment);
// What of it disturbs a measurement: a sentence each, with what to do about it.
std::vector<std::string> warnings(const Environment& environment);

std::int64_t peak_rss_bytes(const std::filesystem::path& root = "/");  // of this process, so far
std::int64_t available_memory_bytes(const std::filesystem::path& root = "/");
// In huge pages that are set aside for programs that ask for them by name, which we do not.
std::int64_t reserved_memory_bytes(const std::filesystem::path& root = "/");

}  // namespace lockstep::machine
