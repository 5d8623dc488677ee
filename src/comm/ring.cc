#include <numeric>

#include "comm/halves.h"

namespace lockstep::comm {

Range reduce_around_ring(Schedule& reduce, std::span<const int> members, int position, Range range,
                         std::size_t grain, int first_round) {
  const int size = static_cast<int>(members.size());
  const std::vector<Range> shares = split(range, size, grain);
  const int next = members[(position + 1) % size];
  const int previous = members[(position + size - 1) % size];
  // A member's share starts with the one behind it and grows on its way around, so that it is
  // complete when it comes home.
  for (int i = 0; i < size - 1; ++i) {
    const int outgoing = (position + size - 1 - i) % size;
    const int incoming = (outgoing + size - 1) % size;
    append(reduce, {first_round + i, Act::send, next, shares[outgoing]});
    append(reduce, {first_round + i, Act::recv_add, previous, shares[incoming]});
  }
  return shares[position];
}

Collective ring(const Topology& topology, int rank, Range range, std::size_t grain) {
  std::vector<int> everybody(topology.host_of.size());
  std::iota(everybody.begin(), everybody.end(), 0);
  Schedule reduce;
  const Range owned = reduce_around_ring(reduce, everybody, rank, range, grain, 0);
  return there_and_back(std::move(reduce), topology.world() - 1, owned);
}

}  // namespace lockstep::comm
