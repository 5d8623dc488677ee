#pragma once

#include <vector>

#include "spec/hosts.h"

namespace lockstep::spec {

// How many devices each host takes when hosts are filled in order, each up to its slots; a host
// that does not tell its slots takes what is left. Throws Error(usage) for more devices than slots.
std::vector<int> place(const Hosts& hosts, int devices);

}  // namespace lockstep::spec
