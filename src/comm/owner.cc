#include <algorithm>
#include <numeric>

#include "comm/halves.h"

namespace lockstep::comm {

namespace {

Collective to_and_from(std::span<const int> contributors, int server, int rank, Range range) {
  const auto contributes = [&](int who) {
    return std::find(contributors.begin(), contributors.end(), who) != contributors.end();
  };
  Schedule reduce;
  if (rank != server) {
    if (contributes(rank)) append(reduce, {0, Act::send, server, range});
    return there_and_back(std::move(reduce), 1, {});
  }
  // Who has no gradients has nothing to add to: the first that arrive replace what it holds.
  bool holds_sum = contributes(server);
  for (const int contributor : contributors) {
    if (contributor == server) continue;
    append(reduce, {0, holds_sum ? Act::recv_add : Act::recv, contributor, range});
    holds_sum = true;
  }
  return there_and_back(std::move(reduce), 1, range);
}

}  // namespace

Collective to_owner(std::span<const int> contributors, int server, int rank, Range range) {
  Collective collective = to_and_from(contributors, server, rank, range);
  // One that only serves does so for many: they have time to fetch what they wait for.
  collective.pushes = std::ranges::find(contributors, server) != contributors.end();
  return collective;
}

Collective owner(const Topology& topology, int rank, Range range, std::size_t /*grain*/) {
  std::vector<int> everybody(topology.host_of.size());
  std::iota(everybody.begin(), everybody.end(), 0);
  return to_owner(everybody, 0, rank, range);
}

}  // namespace lockstep::comm
