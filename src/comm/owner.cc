#include "comm/halves.h"

namespace lockstep::comm {

Collective to_owner(std::span<const int> contributors, int owner, int rank, Range range) {
  Schedule reduce;
  if (rank != owner) {
    for (const int contributor : contributors) {
      if (contributor == rank) append(reduce, {0, Act::send, owner, range});
    }
    return there_and_back(std::move(reduce), 1, {});
  }
  // A server has no gradients to add to: the first that arrive replace what it holds.
  bool holds_sum = false;
  for (const int contributor : contributors) holds_sum |= contributor == owner;
  for (const int contributor : contributors) {
    if (contributor == owner) continue;
    append(reduce, {0, holds_sum ? Act::recv_add : Act::recv, contributor, range});
    holds_sum = true;
  }
  return there_and_back(std::move(reduce), 1, range);
}

}  // namespace lockstep::comm
