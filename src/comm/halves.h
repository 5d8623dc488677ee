#pragma once

#include "comm/collective.h"

namespace lockstep::comm {

// What the algorithms are written with: each says how it reduces, the rest follows.

// Appends the move, unless nothing would move.
inline void append(Schedule& schedule, const Move& move) {
  if (!move.range.empty()) schedule.push_back(move);
}

// The way back of a reduction of so many rounds: moves in opposite order and direction, so that
// what was summed up along a path is carried out along it.
Schedule mirrored(const Schedule& reduce, int rounds);

// The whole collective of a rank that reduces like this and then owns `owned`, which may be empty.
Collective there_and_back(Schedule reduce, int rounds, Range owned);

// Appends a reduction around a ring of some of the ranks, as the one at `position` of `members`
// does it, in the size of the ring - 1 rounds from `first_round` on. The share that it owns then.
Range reduce_around_ring(Schedule& reduce, std::span<const int> members, int position, Range range,
                         std::size_t grain, int first_round);

}  // namespace lockstep::comm
