#pragma once

#include <span>
#include <vector>

#include "comm/schedule.h"
#include "spec/trial.h"
#include "train/layout.h"

namespace lockstep::train {

// A run of parameters that are exchanged together: from the moment that backward has completed the
// last of them.
struct Bucket {
  comm::Range range;
  int last_parameter = 0;
};

// The size from which on a bucket is full where the trial names none.
inline constexpr std::size_t kBucketBytes = std::size_t{1} << 20;

// Which parameters go together, in the order in which backward completes them.
// `automatic_bytes`: the size from which on a bucket is full where the trial names none.
std::vector<Bucket> buckets(std::span<const Layout::Segment> parameters,
                            const spec::Exchange& exchange, std::size_t automatic_bytes);

}  // namespace lockstep::train
