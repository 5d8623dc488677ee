#pragma once

#include <string>
#include <vector>

namespace lockstep::launch {

// What this machine goes by: its name, with and without its domain, localhost, and the addresses of
// all its interfaces.
std::vector<std::string> own_names();

}  // namespace lockstep::launch
