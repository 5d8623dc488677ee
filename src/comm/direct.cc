#include "comm/halves.h"

namespace lockstep::comm {

Collective direct(const Topology& topology, int rank, Range range, std::size_t grain) {
  const int world = topology.world();
  const std::vector<Range> shares = split(range, world, grain);
  // Everybody starts with the next rank, so that not all read from the same memory at once.
  Schedule reduce;
  for (int i = 1; i < world; ++i) {
    const int peer = (rank + i) % world;
    append(reduce, {0, Act::send, peer, shares[peer]});
  }
  for (int i = 1; i < world; ++i) {
    append(reduce, {0, Act::recv_add, (rank + i) % world, shares[rank]});
  }
  Collective collective = there_and_back(std::move(reduce), 1, shares[rank]);
  collective.pushes = true;
  return collective;
}

}  // namespace lockstep::comm
