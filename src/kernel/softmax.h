#pragma once

#include <span>

namespace lockstep::kernel {

// Softmax cross-entropy of rows of logits against labels. The target of a row is (1 - smoothing) on
// its label plus smoothing / classes everywhere. Returns the mean over the rows; where `gradient`
// is not empty it gets scale * d(mean) / d(logits). Repeatable whatever the number of threads.
double softmax_cross_entropy(std::span<const float> logits, std::span<const int> labels,
                             float smoothing, float scale, std::span<float> gradient);

}  // namespace lockstep::kernel
