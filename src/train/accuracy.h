#pragma once

#include <cstdint>
#include <span>

namespace lockstep::train {

// Images whose label is among the k largest outputs. A tie counts for the label; outputs that are
// not finite never do.
struct Hits {
  std::int64_t top_1 = 0;
  std::int64_t top_5 = 0;
};

// `logits`: one row of outputs for each label.
Hits hits(std::span<const float> logits, std::span<const int> labels);

}  // namespace lockstep::train
