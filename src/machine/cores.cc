#include "machine/cores.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "base/affinity.h"
#include "base/check.h"
#include "base/error.h"
#include "base/text.h"
#include "machine/cgroup.h"
#include "machine/topology.h"

namespace lockstep::machine {
namespace {

// Why there are no more cores, and what to ask for instead.
std::string room(const Allowed& allowed) {
  const std::string limit =
      allowed.usable < allowed.cores
          ? fmt::format("a CPU quota of {:.3g} pays for {} of {}", allowed.quota, allowed.usable,
                        counted(allowed.cores, "core"))
          : fmt::format("this process may run on processors {}", ranges(allowed.processors));
  return limit +
         "; ask for fewer devices, for fewer threads with --num_intra_threads, or, to see "
         "whether it works rather than how fast, for --oversubscribe";
}

}  // namespace

Allowed allowed_on(const Topology& topology, std::span<const int> mask, double quota) {
  Allowed allowed;
  allowed.quota = quota;
  std::vector<std::vector<int>> cores;
  std::size_t widest = 0;
  for (const std::vector<int>& core : topology.cores) {
    std::vector<int> ours;
    for (const int p : core) {
      if (std::find(mask.begin(), mask.end(), p) != mask.end()) ours.push_back(p);
    }
    widest = std::max(widest, ours.size());
    if (!ours.empty()) cores.push_back(std::move(ours));
  }
  for (std::size_t sibling = 0; sibling < widest; ++sibling) {
    for (const std::vector<int>& core : cores) {
      if (sibling < core.size()) allowed.processors.push_back(core[sibling]);
    }
  }
  if (cores.empty()) {
    throw Error(ExitCode::environment,
                fmt::format("none of the processors {} is part of the machine that hwloc sees",
                            ranges(mask)),
                "unset HWLOC_SYNTHETIC, HWLOC_XMLFILE and HWLOC_FSROOT");
  }
  allowed.cores = static_cast<int>(cores.size());
  // A team larger than the quota is stopped while its members wait for each other: whole
  // processors only. One thread runs under any quota, if slowly.
  allowed.usable = quota > 0 && quota < allowed.cores
                       ? std::max(1, static_cast<int>(std::floor(quota)))
                       : allowed.cores;
  return allowed;
}

Allowed allowed() {
  static const Topology machine = topology();  // takes milliseconds, and stays what it is
  return allowed_on(machine, bound_processors(), cpu_quota());
}

std::vector<std::vector<int>> place(const Allowed& allowed, int devices, int threads) {
  LOCKSTEP_CHECK(devices >= 1 && threads >= 0);
  const char* verb = devices == 1 ? "needs" : "need";
  const char* are = allowed.usable == 1 ? "is" : "are";
  if (devices > allowed.usable && threads == 0) {
    throw Error(ExitCode::usage,
                fmt::format("{} {} at least {}, {} {} allowed", counted(devices, "device"), verb,
                            counted(devices, "core"), allowed.usable, are),
                room(allowed));
  }
  if (threads > allowed.usable / devices) {
    throw Error(ExitCode::usage,
                fmt::format("{} x {} {} {}, {} {} allowed", counted(devices, "device"),
                            counted(threads, "thread"), verb,
                            counted(std::int64_t{devices} * threads, "core"), allowed.usable, are),
                room(allowed));
  }
  if (threads == 0) threads = allowed.usable / devices;
  // Every device starts at its even share of the machine, so that devices smaller than their share
  // do not straddle caches and sockets.
  std::vector<std::vector<int>> groups;
  for (int device = 0; device < devices; ++device) {
    const auto first = allowed.processors.begin() + std::int64_t{device} * allowed.usable / devices;
    groups.emplace_back(first, first + threads);
  }
  return groups;
}

std::string ranges(std::span<const int> processors) {
  std::vector<int> sorted(processors.begin(), processors.end());
  std::sort(sorted.begin(), sorted.end());
  std::vector<std::string> parts;
  for (std::size_t first = 0; first < sorted.size();) {
    std::size_t last = first;
    while (last + 1 < sorted.size() && sorted[last + 1] == sorted[last] + 1) ++last;
    parts.push_back(first == last ? fmt::format("{}", sorted[first])
                                  : fmt::format("{}-{}", sorted[first], sorted[last]));
    first = last + 1;
  }
  return join(parts, ",");
}

}  // namespace lockstep::machine
