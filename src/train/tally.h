#pragma once

#include <array>
#include <cstddef>

namespace lockstep::train {

// What all ranks tell each other in every step: a handful of floats that are summed and spread like
// gradients, so that every rank knows the same and decides the same without a message of its own.
struct Tally {
  float ranks = 0;  // that train
  float loss = 0;
  float images = 0, top_1 = 0, top_5 = 0;  // that count, and hits among them
  // Wishes for what comes behind this step: above 0, somebody has it.
  float warmed_up = 0, precise = 0, time_up = 0, interrupted = 0;
  float last = 0;  // everybody that trains knows that this is the last step: servers hear it here

  // Rank 0 alone has these: what all do together behind this step.
  float save = 0, evaluate = 0;

  bool wishes_end() const { return precise > 0 || time_up > 0 || interrupted > 0; }
};
inline constexpr std::size_t kTallyFloats = 16;  // a cache line
static_assert(sizeof(Tally) <= kTallyFloats * sizeof(float));

}  // namespace lockstep::train
