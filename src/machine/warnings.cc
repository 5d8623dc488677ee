#include <fmt/format.h>

#include "base/text.h"
#include "machine/environment.h"

namespace lockstep::machine {
namespace {

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

}  // namespace

std::vector<std::string> warnings(const Environment& e) {
  std::vector<std::string> found;
  if (e.cpus > 0 && e.load_average > 0.5 * e.cpus) {
    found.push_back(
        fmt::format("the load average is {:.1f} on {} processors: other work, or a run that has "
                    "just ended, may "
                    "take time from this one; stop it, or wait until the load falls",
                    e.load_average, e.cpus));
  }
  if (e.governor.find("powersave") != std::string::npos) {
    found.push_back(
        "the frequency governor powersave lets the clock follow the load; choose performance: "
        "cpupower frequency-set -g performance");
  }
  if (e.turbo == "on") {
    found.push_back(
        "turbo is on: one busy core clocks higher than many, which makes scaling look worse than "
        "it is; turn it off in the firmware, or through intel_pstate/no_turbo or cpufreq/boost in "
        "/sys/devices/system/cpu");
  }
  if (const int mask = count(e.affinity); e.cpu_quota > 0 && e.cpu_quota < mask) {
    found.push_back(fmt::format(
        "a CPU quota of {:.3g} is less than the {} processors that this process may run on: the "
        "kernel stops it whenever its time is used up; give it whole processors (cpusets) instead",
        e.cpu_quota, mask));
  }
  if (e.huge_pages == "never") {
    found.push_back(
        "transparent huge pages are off, which makes large layers slower; allow them: echo madvise "
        "> /sys/kernel/mm/transparent_hugepage/enabled");
  }
  return found;
}

}  // namespace lockstep::machine
