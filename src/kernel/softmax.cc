#include "kernel/softmax.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/check.h"
#include "kernel/parallel.h"

namespace lockstep::kernel {
namespace {

// Cross-entropy of one row; writes the probabilities minus the target, times `scale`.
double one_row(std::span<const float> logits, int label, float smoothing, float scale,
               float* gradient) {
  const std::size_t classes = logits.size();
  const float top = *std::max_element(logits.begin(), logits.end());
  double sum = 0;
  double logit_sum = 0;
  for (const float x : logits) {
    sum += std::exp(x - top);
    logit_sum += x;
  }
  const double log_sum = std::log(sum) + top;
  const double spread = double(smoothing) / double(classes);
  if (gradient != nullptr) {
    const double inverse = 1 / sum;
    for (std::size_t c = 0; c < classes; ++c) {
      gradient[c] = static_cast<float>(scale * (std::exp(logits[c] - top) * inverse - spread));
    }
    gradient[label] -= scale * (1 - smoothing);
  }
  const double at_label = logits[static_cast<std::size_t>(label)];
  return log_sum - (1 - double(smoothing)) * at_label - spread * logit_sum;
}

}  // namespace

double softmax_cross_entropy(std::span<const float> logits, std::span<const int> labels,
                             float smoothing, float scale, std::span<float> gradient) {
  const std::size_t rows = labels.size();
  const std::size_t classes = logits.size() / rows;
  thread_local std::vector<double> losses;  // summed in order of the rows, not of the threads
  losses.resize(rows);
  double* const row_losses = losses.data();
  parallel_for(static_cast<std::int64_t>(rows), 4, [&](std::int64_t begin, std::int64_t end) {
    for (auto r = static_cast<std::size_t>(begin); r < static_cast<std::size_t>(end); ++r) {
      LOCKSTEP_CHECK(labels[r] >= 0 && static_cast<std::size_t>(labels[r]) < classes);
      row_losses[r] = one_row(logits.subspan(r * classes, classes), labels[r], smoothing,
                              scale / static_cast<float>(rows),
                              gradient.empty() ? nullptr : gradient.data() + r * classes);
    }
  });
  double total = 0;
  for (std::size_t r = 0; r < rows; ++r) total += row_losses[r];
  return total / double(rows);
}

}  // namespace lockstep::kernel
