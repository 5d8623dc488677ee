#include "spec/placement.h"

#include <algorithm>

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
  if (slots.size() > 8) slots = {fmt::format("on {} hosts", hosts.size())};
  throw Error(
      ExitCode::usage,
      fmt::format("{} devices do not fit on {} slots ({})", devices, sum, join(slots, " + ")),
      "name more hosts, give them more slots, or ask for fewer devices");
}

}  // namespace

std::vector<int> place(const Hosts& hosts, int devices) {
  std::vector<int> counts;
  int left = devices;
  for (const Host& host : hosts) {
    counts.push_back(host.slots == 0 ? left : std::min(left, host.slots));
    left -= counts.back();
  }
  if (left > 0) refuse(hosts, devices);
  return counts;
}

}  // namespace lockstep::spec
