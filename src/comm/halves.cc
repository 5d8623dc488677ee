#include "comm/halves.h"

#include <algorithm>
#include <utility>

namespace lockstep::comm {

Schedule mirrored(const Schedule& reduce, int rounds) {
  Schedule back = reduce;
  std::reverse(back.begin(), back.end());
  for (Move& move : back) {
    move.round = rounds - 1 - move.round;
    move.act = move.act == Act::send ? Act::recv : Act::send;
  }
  return back;
}

Collective there_and_back(Schedule reduce, int rounds, Range owned) {
  Collective collective;
  collective.distribute = mirrored(reduce, rounds);
  collective.reduce = std::move(reduce);
  if (!owned.empty()) collective.owned.push_back(owned);
  return collective;
}

}  // namespace lockstep::comm
