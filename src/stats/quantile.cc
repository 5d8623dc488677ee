#include "stats/quantile.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "base/check.h"

namespace lockstep::stats {

double mean(std::span<const double> values) {
  LOCKSTEP_CHECK(!values.empty());
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double standard_deviation(std::span<const double> values) {
  const double center = mean(values);
  double squares = 0;
  for (const double value : values) squares += (value - center) * (value - center);
  return std::sqrt(squares / static_cast<double>(values.size()));
}

double quantile(std::span<const double> values, double q) {
  LOCKSTEP_CHECK(!values.empty() && q >= 0 && q <= 1);
  std::vector<double> order(values.begin(), values.end());
  const double position = q * static_cast<double>(order.size() - 1);
  const auto below = order.begin() + static_cast<std::ptrdiff_t>(position);
  std::nth_element(order.begin(), below, order.end());
  const double fraction = position - std::floor(position);
  if (fraction == 0) return *below;
  return *below + fraction * (*std::min_element(below + 1, order.end()) - *below);
}

double median(std::span<const double> values) {
  return quantile(values, 0.5);
}

double robust_deviation(std::span<const double> values) {
  const double center = median(values);
  std::vector<double> distances;
  distances.reserve(values.size());
  for (const double value : values) distances.push_back(std::abs(value - center));
  return 1.4826 * median(distances);
}

}  // namespace lockstep::stats
