#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "base/rng.h"
#include "stats/interval.h"
#include "stats/quantile.h"

namespace lockstep::bench {

// 95 % of the medians of resampled ratios; the same every time. Fewer than five tell too little of
// how far they scatter.
inline stats::Interval bootstrap(const std::vector<double>& ratios) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (ratios.size() < 5) return {.low = -kInfinity, .high = kInfinity};
  const Rng rng(7);
  std::vector<double> medians;
  for (std::uint64_t b = 0; b < 2000; ++b) {
    std::vector<double> draw;
    for (std::size_t i = 0; i < ratios.size(); ++i) {
      draw.push_back(ratios[rng.bits(b * ratios.size() + i) % ratios.size()]);
    }
    medians.push_back(stats::median(draw));
  }
  std::sort(medians.begin(), medians.end());
  return {.low = medians[50], .high = medians[1949]};
}

}  // namespace lockstep::bench
