#include <fmt/format.h>

#include "base/text.h"
#include "machine/environment.h"

namespace lockstep::machine {
namespace {

constexpr double kBusy = 0.5;  // of the processors
constexpr double kGiB = 1 << 30;
constexpr double kLittleMemory = kGiB;
constexpr double kTooLittleMemory = 128 << 20;

// How many processors "0-3,8" are.
int count(std::string_view ranges) {
  int processors = 0;
  for (const std::string& range : split(ranges, ',')) {
    const std::vector<std::string> ends = split(range, '-');
    const auto first = parse_int(ends.front());
    const auto last = parse_int(ends.back());
    if (first && last) processors += static_cast<int>(*last - *first) + 1;
  }
  return processors;
}

Finding versions(const Environment& e) {
  std::vector<std::string> parts = {"lockstep " + e.build, e.compiler};
  parts.insert(parts.end(), e.libraries.begin(), e.libraries.end());
  parts.push_back(e.kernel);
  return {.subject = "versions", .sentence = join(parts, ", ")};
}

Finding cores(const Environment& e) {
  return {.subject = "cores",
          .value = e.physical_cores,
          .sentence = fmt::format("physical, with {} in {}, {}", counted(e.cpus, "processor"),
                                  counted(e.numa_nodes, "NUMA domain"), e.instruction_set)};
}

Finding affinity(const Environment& e) {
  const int mask = count(e.affinity);
  return {.subject = "affinity",
          .value = mask,
          .sentence =
              fmt::format("for this process, of {}: {}", counted(e.cpus, "processor"), e.affinity)};
}

Finding load(const Environment& e) {
  Finding finding{.subject = "load",
                  .value = e.load_average,
                  .sentence = fmt::format("the load average is {:.1f} on {}", e.load_average,
                                          counted(e.cpus, "processor"))};
  if (e.load_average > kBusy * e.cpus) {
    finding.level = Level::warning;
    finding.sentence += ": other work, or a run that has just ended, may take time from this one";
    finding.remedy = "stop it, or wait until the load falls";
  }
  return finding;
}

// What to do about what a guest of a virtual machine can see, but not change.
std::string of_the_host(std::string_view what) {
  return fmt::format(
      "{} is the host's, which this virtual machine cannot change: measure in one go what is to be "
      "compared, with more launches (--repeats)",
      what);
}

Finding governor(const Environment& e) {
  if (e.governor.find("powersave") != std::string::npos) {
    return {.subject = "governor",
            .level = Level::warning,
            .sentence = "the frequency governor powersave lets the clock follow the load",
            .remedy = e.hypervisor.empty()
                          ? "choose performance: cpupower frequency-set -g performance"
                          : of_the_host("the governor")};
  }
  return {.subject = "governor",
          .sentence = e.governor.empty() ? "the kernel shows no frequency governor"
                                         : "the frequency governor is " + e.governor};
}

Finding turbo(const Environment& e) {
  if (e.turbo == "on") {
    return {.subject = "turbo",
            .level = Level::warning,
            .sentence =
                "turbo is on: one busy core clocks higher than many, which makes scaling "
                "look worse than it is",
            .remedy = e.hypervisor.empty()
                          ? "turn it off in the firmware, or through intel_pstate/no_turbo or "
                            "cpufreq/boost in /sys/devices/system/cpu"
                          : of_the_host("turbo")};
  }
  return {.subject = "turbo",
          .sentence = e.turbo.empty() ? "the kernel does not tell of turbo" : "turbo is off"};
}

Finding quota(const Environment& e) {
  if (e.cpu_quota == 0) return {.subject = "quota", .sentence = "there is no CPU quota"};
  Finding finding{.subject = "quota",
                  .value = e.cpu_quota,
                  .sentence = "processors' worth of time, by the CPU quota"};
  if (const int mask = count(e.affinity); e.cpu_quota < mask) {
    finding.level = Level::warning;
    finding.sentence = fmt::format(
        "a CPU quota of {:.3g} is less than the {} that this process may run on: the "
        "kernel stops it whenever its time is used up",
        e.cpu_quota, counted(mask, "processor"));
    finding.remedy = "give it whole processors (cpusets) instead";
  }
  return finding;
}

Finding memory(const Environment& e) {
  const auto left = static_cast<double>(e.memory_available_bytes);
  Finding finding{.subject = "memory",
                  .value = left / kGiB,
                  .unit = "GiB",
                  .sentence = fmt::format("available, of {}",
                                          human_bytes(static_cast<double>(e.memory_bytes)))};
  if (left < kLittleMemory) {
    finding.level = left < kTooLittleMemory ? Level::problem : Level::warning;
    finding.sentence = fmt::format(
        "{} of memory are available, which is too little for most networks", human_bytes(left));
    finding.remedy = "end what holds memory, or raise the limit of the container";
  }
  return finding;
}

Finding huge_pages(const Environment& e) {
  if (e.huge_pages == "never") {
    return {.subject = "huge pages",
            .level = Level::warning,
            .sentence = "transparent huge pages are off, which makes large layers slower",
            .remedy = "allow them: echo madvise > /sys/kernel/mm/transparent_hugepage/enabled"};
  }
  return {.subject = "huge pages", .sentence = "transparent huge pages: " + e.huge_pages};
}

}  // namespace

std::vector<Finding> findings(const Environment& e) {
  std::vector<Finding> found;
  if (!e.build.empty()) found.push_back(versions(e));
  if (e.cpus > 0) {
    found.push_back(cores(e));
    found.push_back(affinity(e));
    found.push_back(load(e));
  }
  found.push_back(governor(e));
  found.push_back(turbo(e));
  found.push_back(quota(e));
  if (e.memory_bytes > 0) found.push_back(memory(e));
  if (!e.huge_pages.empty()) found.push_back(huge_pages(e));
  return found;
}

std::vector<std::string> warnings(const Environment& environment) {
  return warnings(findings(environment));
}

}  // namespace lockstep::machine
