#pragma once

#include <cstdint>
#include <string>

#include "base/error.h"

namespace lockstep::comm {

std::string own_host_name();

// What the other ranks say when one could not go on: who, where, when (below 0: before the first
// step) and why.
Error lost_rank(int rank, const std::string& host, std::int64_t step, const Error& cause);

}  // namespace lockstep::comm
