#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace lockstep::mpi {

// This host's numeric addresses that others may reach: not those of loopback, nor those that only
// mean something together with a link.
std::vector<std::string> own_addresses();

// The first of numeric addresses that takes a connection to the port, all tried at once; none when
// all refuse, or none takes one within so many seconds.
std::optional<std::string> first_reachable(std::span<const std::string> addresses,
                                           const std::string& port, double seconds);

}  // namespace lockstep::mpi
