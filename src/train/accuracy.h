#pragma once

#include <span>

namespace lockstep::train {

// Share of a batch whose label is among the k largest outputs. A tie counts for the label; outputs
// that are not finite never do.
struct Accuracy {
  float top_1 = 0;
  float top_5 = 0;
};

// `logits`: one row of outputs for each label.
Accuracy accuracy(std::span<const float> logits, std::span<const int> labels);

}  // namespace lockstep::train
