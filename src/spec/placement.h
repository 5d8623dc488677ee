#pragma once

#include <vector>

#include "spec/hosts.h"

namespace lockstep::spec {

// How many devices each host takes when hosts are filled in order, each up to its slots; those that
// do not tell theirs share the rest evenly. Throws Error(usage) for more devices than slots.
std::vector<int> place(const Hosts& hosts, int devices);

}  // namespace lockstep::spec
