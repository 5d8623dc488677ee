#include "spec/placement.h"

#include <algorithm>

#include "base/check.h"
#include "base/error.h"
#include "base/text.h"

namespace lockstep::spec {
namespace {

[[noreturn]] void refuse(const Hosts& hosts, int devices) {
  std::vector<std::string> slots;
  int sum = 0;
  for (const Host& host : hosts) {
    slots.push_back(fmt::format("{} on {}", host.slots, host.name));
    sum += host.slots;
  }
  throw Error(ExitCode::usage,
              fmt::format("{} devices do not fit on {}: {}", devices,
                          lockstep::counted(sum, "slot"), join(slots, " + ")),
              "name more hosts, give them more slots, or ask for fewer devices");
}

}  // namespace

std::vector<int> place(const Hosts& hosts, int devices) {
  if (devices < 1) {
    throw Error(ExitCode::usage, fmt::format("{} devices are none", devices),
                "ask for one device or more");
  }
  std::vector<int> counts;
  int left = devices;
  int untold = 0;
  for (const Host& host : hosts) {
    counts.push_back(std::min(left, host.slots));
    left -= counts.back();
    if (host.slots == 0) ++untold;
  }
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    if (hosts[i].slots > 0) continue;
    LOCKSTEP_CHECK(untold > 0);  // this one was counted
    counts[i] = (left + untold - 1) / untold;
    left -= counts[i];
    --untold;
  }
  if (left > 0) refuse(hosts, devices);
  return counts;
}

}  // namespace lockstep::spec
