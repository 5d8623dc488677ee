#include <fmt/format.h>

#include "base/text.h"
#include "machine/environment.h"

namespace lockstep::machine {
namespace {

constexpr double kBusy = 0.5;  // of the processors
constexpr double kLittleMemory = 1 << 30;
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

Finding cores(const Environment& e) {
  return {.subject = "cores",
          .value = e.physical_cores,
          .unit = "cores",
          .sentence = fmt::format("{} processors on {} cores in {} NUMA domains, {}", e.cpus,
                                  e.physical_cores, e.numa_nodes, e.instruction_set)};
}

Finding affinity(const Environment& e) {
  const int mask = count(e.affinity);
  return {.subject = "affinity",
          .value = mask,
          .unit = "processors",
          .sentence = fmt::format("this process may run on {} of {} processors: {}", mask, e.cpus,
                                  e.affinity)};
}

Finding load(const Environment& e) {
  Finding finding{.subject = "load",
                  .value = e.load_average,
                  .unit = "runnable",
                  .sentence = fmt::format("the load average is {:.1f} on {} processors",
                                          e.load_average, e.cpus)};
  if (e.load_average > kBusy * e.cpus) {
    finding.level = Level::warning;
    finding.sentence += ": other work, or a run that has just ended, may take time from this one";
    finding.remedy = "stop it, or wait until the load falls";
  }
  return finding;
}

Finding governor(const Environment& e) {
  if (e.governor.find("powersave") != std::string::npos) {
    return {.subject = "governor",
            .level = Level::warning,
            .sentence = "the frequency governor powersave lets the clock follow the load",
            .remedy = "choose performance: cpupower frequency-set -g performance"};
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
            .remedy =
                "turn it off in the firmware, or through intel_pstate/no_turbo or "
                "cpufreq/boost in /sys/devices/system/cpu"};
  }
  return {.subject = "turbo",
          .sentence = e.turbo.empty() ? "the kernel does not tell of turbo" : "turbo is off"};
}

Finding quota(const Environment& e) {
  if (e.cpu_quota == 0) return {.subject = "quota", .sentence = "there is no CPU quota"};
  Finding finding{.subject = "quota",
                  .value = e.cpu_quota,
                  .unit = "processors",
                  .sentence = fmt::format("the CPU quota is {:.3g} processors", e.cpu_quota)};
  if (const int mask = count(e.affinity); e.cpu_quota < mask) {
    finding.level = Level::warning;
    finding.sentence = fmt::format(
        "a CPU quota of {:.3g} is less than the {} processors that this process may run on: the "
        "kernel stops it whenever its time is used up",
        e.cpu_quota, mask);
    finding.remedy = "give it whole processors (cpusets) instead";
  }
  return finding;
}

Finding memory(const Environment& e) {
  const auto left = static_cast<double>(e.memory_available_bytes);
  Finding finding{.subject = "memory",
                  .value = left * 1e-9,
                  .unit = "GB",
                  .sentence = fmt::format("{} of {} are available", human_bytes(left),
                                          human_bytes(static_cast<double>(e.memory_bytes)))};
  if (left < kLittleMemory) {
    finding.level = left < kTooLittleMemory ? Level::problem : Level::warning;
    finding.sentence += ", which is too little for most networks";
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
