#pragma once

#include <cstdint>
#include <span>

#include "cli/comm_operation.h"

namespace lockstep::cli {

// One rank's place in an operation whose results are checked.
struct CommShare {
  CommKind kind = CommKind::all_reduce;
  int rank = 0, world = 1;
  std::span<const comm::Range> buckets;
  std::span<const comm::Range> owned;  // see owned_ranges
};

// Small integers that differ between neighbours and ranks, so that sums are exact in any order and
// a misplaced element shows. What an all_gather has to bring is filled with something else.
void fill_inputs(std::span<float> data, const CommShare& share);

// Elements of this rank's results that are not what they should be.
std::int64_t count_wrong(std::span<const float> data, const CommShare& share);

}  // namespace lockstep::cli
