#include "train/accuracy.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace lockstep::train {

Hits hits(std::span<const float> logits, std::span<const int> labels) {
  LOCKSTEP_CHECK(!labels.empty() && logits.size() % labels.size() == 0);
  const std::size_t classes = logits.size() / labels.size();
  Hits hits;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const std::span<const float> row = logits.subspan(i * classes, classes);
    const float own = row[static_cast<std::size_t>(labels[i])];
    // Written so that NaN anywhere counts as larger.
    const auto larger = std::ranges::count_if(row, [own](float x) { return !(x <= own); });
    if (!std::isfinite(own)) continue;
    if (larger < 1) ++hits.top_1;
    if (larger < 5) ++hits.top_5;
  }
  return hits;
}

}  // namespace lockstep::train
