#include "comm/halves.h"

namespace lockstep::comm {

Collective tree(const Topology& topology, int rank, Range range, std::size_t /*grain*/) {
  const int world = topology.world();
  Schedule reduce;
  int rounds = 0;
  bool sent = false;
  for (int distance = 1; distance < world; distance *= 2) {
    const int round = rounds++;
    if (sent) continue;
    if (rank % (2 * distance) != 0) {
      append(reduce, {round, Act::send, rank - distance, range});
      sent = true;
    } else if (rank + distance < world) {
      append(reduce, {round, Act::recv_add, rank + distance, range});
    }
  }
  return there_and_back(std::move(reduce), rounds, rank == 0 ? range : Range{});
}

}  // namespace lockstep::comm
