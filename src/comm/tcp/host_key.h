#pragma once

#include <string>

namespace lockstep::comm::tcp {

// Equal for processes that can map each other's memory: those of one running kernel that see each
// other. Containers are hosts of their own.
std::string host_key();

}  // namespace lockstep::comm::tcp
