#include "stats/steady.h"

#include <algorithm>

#include "stats/quantile.h"

namespace lockstep::stats {
namespace {

constexpr std::size_t kFewestValues = 12;
constexpr double kPrice = 6;                           // per step
constexpr double kMostEarned = 16;                     // per step
constexpr double kSignificant = kMostEarned - kPrice;  // one step, 4 deviations off, is enough
constexpr double kSmallestDeviation = 0.0025;          // of the median

// The robust deviation of few values is often far too small; this keeps steady series whole.
double allowance(std::size_t n) {
  return 1 + 10 / static_cast<double>(n);
}

}  // namespace

std::size_t steady_start(std::span<const double> series) {
  if (series.size() < kFewestValues) return 0;
  const std::size_t half = series.size() / 2;
  const auto steady = series.subspan(half);
  const double center = median(steady);
  const double deviation =
      std::max(robust_deviation(steady) * allowance(steady.size()), kSmallestDeviation * center);
  double sum = 0;
  double highest = kSignificant;
  std::size_t cut = 0;
  for (std::size_t i = 0; i < half; ++i) {
    const double distance = (series[i] - center) / deviation;
    sum += std::min(distance * distance, kMostEarned) - kPrice;
    if (sum >= highest) {
      highest = sum;
      cut = i + 1;
    }
  }
  return cut;
}

}  // namespace lockstep::stats
