#pragma once

#include <vector>

#include "comm/transport.h"

namespace lockstep::comm {

// For tests: so many ranks on each host, in order.
inline Topology hosts_with(const std::vector<int>& ranks) {
  Topology topology;
  for (std::size_t host = 0; host < ranks.size(); ++host) {
    topology.host_of.insert(topology.host_of.end(), static_cast<std::size_t>(ranks[host]),
                            static_cast<int>(host));
  }
  return topology;
}

inline Topology one_host(int world) {
  return hosts_with({world});
}

}  // namespace lockstep::comm
