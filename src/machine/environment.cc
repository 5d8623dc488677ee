#include "machine/environment.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>

#include "base/affinity.h"
#include "base/text.h"
#include "machine/build.h"
#include "machine/cgroup.h"
#include "machine/container.h"
#include "machine/cores.h"
#include "machine/isa.h"
#include "machine/kernel_file.h"
#include "machine/topology.h"

namespace lockstep::machine {
namespace {

namespace fs = std::filesystem;

// The value of the first line "key : value" of a file.
std::string field(const fs::path& file, std::string_view key) {
  for (const std::string& line : split(kernel_file(file), '\n')) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos || trim(line.substr(0, colon)) != key) continue;
    return std::string(trim(std::string_view(line).substr(colon + 1)));
  }
  return {};
}

// The same for amounts of memory: "MemTotal:  24576000 kB".
std::int64_t bytes_field(const fs::path& file, std::string_view key) {
  return parse_int(split(field(file, key), ' ').front()).value_or(0) * 1024;
}

const char* instruction_set() {
  switch (widest_isa()) {
    case Isa::avx512:
      return "avx512";
    case Isa::avx2:
      return "avx2";
    case Isa::portable:
      break;
  }
#if defined(__x86_64__)
  return "sse2";
#else
  return "";
#endif
}

struct Frequency {
  double mhz_max = 0;
  std::string governor;  // those of all processors, where they differ
};
Frequency frequency(const fs::path& root) {
  Frequency frequency;
  std::set<std::string> governors;
  std::error_code none;  // virtual machines have no cpufreq
  for (const auto& policy : fs::directory_iterator(root / "sys/devices/system/cpu/cpufreq", none)) {
    const auto khz = parse_double(kernel_file(policy.path() / "cpuinfo_max_freq"));
    frequency.mhz_max = std::max(frequency.mhz_max, khz.value_or(0) / 1000);
    governors.insert(kernel_file(policy.path() / "scaling_governor"));
  }
  governors.erase("");
  frequency.governor = join(std::vector(governors.begin(), governors.end()), ", ");
  return frequency;
}

std::string turbo(const fs::path& root) {
  const fs::path cpu = root / "sys/devices/system/cpu";
  const std::string no_turbo = kernel_file(cpu / "intel_pstate/no_turbo");
  const std::string boost = kernel_file(cpu / "cpufreq/boost");
  if (no_turbo == "0" || boost == "1") return "on";
  if (no_turbo == "1" || boost == "0") return "off";
  return {};
}

// The kernel marks its choice: "always [madvise] never".
std::string huge_pages(const fs::path& root) {
  const std::string choices = kernel_file(root / "sys/kernel/mm/transparent_hugepage/enabled");
  const std::size_t open = choices.find('[');
  const std::size_t close = choices.find(']');
  if (open == std::string::npos || close == std::string::npos || close < open) return {};
  return choices.substr(open + 1, close - open - 1);
}

}  // namespace

Environment environment(const fs::path& root) {
  Environment e;
  utsname system = {};
  if (uname(&system) == 0) {
    e.host_name = system.nodename;
    e.kernel = std::string(system.sysname) + " " + system.release;
  }
  e.cpu_model = field(root / "proc/cpuinfo", "model name");
  e.cpus = static_cast<int>(std::max(0L, sysconf(_SC_NPROCESSORS_ONLN)));
  const Topology machine = topology();
  e.physical_cores = static_cast<int>(machine.cores.size());
  e.numa_nodes = machine.numa_nodes;
  e.instruction_set = instruction_set();
  const Frequency clock = frequency(root);
  e.mhz_max = clock.mhz_max;
  e.governor = clock.governor;
  e.turbo = turbo(root);
  e.huge_pages = huge_pages(root);
  e.memory_bytes = bytes_field(root / "proc/meminfo", "MemTotal");
  e.memory_available_bytes = available_memory_bytes(root);
  e.cpu_quota = cpu_quota(root);
  e.affinity = ranges(bound_processors());
  const std::string load = kernel_file(root / "proc/loadavg");
  e.load_average = parse_double(split(load, ' ').front()).value_or(0);
  e.container = container(root);
  e.hypervisor = hypervisor();
  e.compiler = compiler();
  e.build = build();
  return e;
}

std::int64_t peak_rss_bytes(const fs::path& root) {
  // Not getrusage's maximum: that one outlives exec, and would be the shell's or the launcher's.
  return bytes_field(root / "proc/self/status", "VmHWM");
}

std::int64_t available_memory_bytes(const fs::path& root) {
  const std::int64_t system = bytes_field(root / "proc/meminfo", "MemAvailable");
  return std::min(system, cgroup_memory_left(root).value_or(system));
}

std::int64_t reserved_memory_bytes(const fs::path& root) {
  return bytes_field(root / "proc/meminfo", "Hugetlb");
}

}  // namespace lockstep::machine
