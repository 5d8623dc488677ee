#pragma once

#include <string>
#include <vector>

namespace lockstep::launch {

// What this machine goes by: its name, with and without its domain, localhost, and the addresses of
// all its interfaces.
std::vector<std::string> own_names();

// Whether it is an IP address of another machine. What a name stands for is not looked up.
bool is_address_elsewhere(const std::string& address);

}  // namespace lockstep::launch
