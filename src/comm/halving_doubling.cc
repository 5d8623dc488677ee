#include <algorithm>

#include "comm/halves.h"

namespace lockstep::comm {

// A group of ranks has to sum up the shares of its members. It falls into two halves; everybody
// sends what the other half sums up to a partner there, and each half goes on by itself. Where the
// lower half has one rank more, the last of the upper half is the partner of two: so worlds that
// are no powers of two need no rounds of their own, and every rank sends the least possible.
Collective halving_doubling(const Topology& topology, int rank, Range range, std::size_t grain) {
  const int world = topology.world();
  const std::vector<Range> shares = split(range, world, grain);
  const auto shares_of = [&](int first, int last) {
    return Range{shares[first].begin, shares[last - 1].end};
  };
  Schedule reduce;
  int rounds = 0;
  int begin = 0, end = world;  // the group of this rank, which sums up the shares of its members
  // Groups of one world differ by one in size, so the larger ones decide how many rounds there are.
  for (int largest = world; largest > 1; largest = (largest + 1) / 2) {
    const int round = rounds++;
    if (end - begin == 1) continue;
    const int middle = begin + (end - begin + 1) / 2;
    const int upper_size = end - middle;
    if (rank < middle) {
      const int place = rank - begin;
      const int partner = middle + std::min(place, upper_size - 1);
      append(reduce, {round, Act::send, partner, shares_of(middle, end)});
      if (place < upper_size) {
        append(reduce, {round, Act::recv_add, partner, shares_of(begin, middle)});
      }
      end = middle;
    } else {
      const int place = rank - middle;
      const bool partner_of_two = place == upper_size - 1 && middle - begin > upper_size;
      append(reduce, {round, Act::send, begin + place, shares_of(begin, middle)});
      append(reduce, {round, Act::recv_add, begin + place, shares_of(middle, end)});
      if (partner_of_two) {
        append(reduce, {round, Act::recv_add, middle - 1, shares_of(middle, end)});
      }
      begin = middle;
    }
  }
  return there_and_back(std::move(reduce), rounds, shares[rank]);
}

}  // namespace lockstep::comm
