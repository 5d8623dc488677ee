#include <algorithm>
#include <numeric>

#include "comm/halves.h"

namespace lockstep::comm {

Collective to_owner(std::span<const int> contributors, int server, int rank, Range range) {
  const auto contributes = [&](int who) {
    return std::find(contributors.begin(), contributors.end(), who) != contributors.end();
  };
  Schedule reduce;
  if (rank != server && contributes(rank)) append(reduce, {0, Act::send, server, range});
  // Who has no gradients has nothing to add to: the first that arrive replace what it holds.
  bool holds_sum = contributes(server);
  for (const int contributor : contributors) {
    if (rank != server || contributor == server) continue;
    append(reduce, {0, holds_sum ? Act::recv_add : Act::recv, contributor, range});
    holds_sum = true;
  }
  Collective collective = there_and_back(std::move(reduce), 1, rank == server ? range : Range{});
  // One that only serves does so for many: they have time to fetch what they wait for.
  collective.pushes = contributes(server);
  return collective;
}

Collective owner(const Topology& topology, int rank, Range range, std::size_t /*grain*/) {
  std::vector<int> everybody(topology.host_of.size());
  std::iota(everybody.begin(), everybody.end(), 0);
  return to_owner(everybody, 0, rank, range);
}

}  // namespace lockstep::comm
