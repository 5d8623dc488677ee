#include <algorithm>

#include "comm/halves.h"

namespace lockstep::comm {

// The range falls into lanes, as many as the smallest host has ranks. The l-th rank of every host
// owns lane l there: it sums up what its host has, then runs a ring with the lane's owners of the
// other hosts. So all ranks of a host share the work, and a host sends every element once.
Collective hierarchical(const Topology& topology, int rank, Range range, std::size_t grain) {
  std::vector<std::vector<int>> hosts(1 + std::ranges::max(topology.host_of));  // their ranks
  for (int r = 0; r < topology.world(); ++r) hosts[topology.host_of[r]].push_back(r);
  const std::size_t lane_count = std::ranges::min(hosts, {}, &std::vector<int>::size).size();
  const std::vector<Range> lanes = split(range, static_cast<int>(lane_count), grain);

  const std::vector<int>& neighbours = hosts.at(topology.host_of[rank]);  // and this rank
  const std::size_t place =
      std::find(neighbours.begin(), neighbours.end(), rank) - neighbours.begin();
  const bool owns_lane = place < lane_count;

  Schedule reduce;
  for (std::size_t i = 1; i < neighbours.size(); ++i) {
    const std::size_t owner = (place + i) % neighbours.size();
    if (owner < lane_count) append(reduce, {0, Act::send, neighbours[owner], lanes[owner]});
  }
  Range owned;
  if (owns_lane) {
    for (std::size_t i = 1; i < neighbours.size(); ++i) {
      const int peer = neighbours[(place + i) % neighbours.size()];
      append(reduce, {0, Act::recv_add, peer, lanes[place]});
    }
    std::vector<int> owners;
    for (const std::vector<int>& ranks : hosts) owners.push_back(ranks[place]);
    const auto position = std::find(owners.begin(), owners.end(), rank) - owners.begin();
    owned = reduce_around_ring(reduce, owners, static_cast<int>(position), lanes[place], grain, 1);
  }
  return there_and_back(std::move(reduce), static_cast<int>(hosts.size()), owned);
}

}  // namespace lockstep::comm
