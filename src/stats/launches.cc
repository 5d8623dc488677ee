#include "stats/launches.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "base/check.h"
#include "stats/quantile.h"
#include "stats/student.h"

namespace lockstep::stats {
namespace {

Estimate mean_of(std::span<const double> values) {
  const auto n = static_cast<double>(values.size());
  const double centre = mean(values);
  Estimate result{.value = centre, .launches = static_cast<int>(values.size())};
  if (values.size() < 2) return result;
  const int degrees = static_cast<int>(values.size()) - 1;
  // standard_deviation divides by n; the t interval wants the sample's, which divides by n - 1.
  const double error = standard_deviation(values) / std::sqrt(n - 1);
  const double half = student_quantile(0.95, degrees) * error;
  result.interval = Interval{centre - half, centre + half};
  return result;
}

Estimate from_logarithms(std::span<const double> logarithms) {
  Estimate result = mean_of(logarithms);
  result.value = std::exp(result.value);
  if (auto& interval = result.interval) {
    interval = Interval{std::exp(interval->low), std::exp(interval->high)};
  }
  return result;
}

}  // namespace

std::optional<double> Estimate::precision() const {
  if (!interval) return std::nullopt;
  return interval->half_width() / value;
}

std::optional<Estimate> estimate(const Launches& launches) {
  std::vector<double> logarithms;
  for (const auto& launch : launches) {
    if (!launch) continue;
    LOCKSTEP_CHECK(*launch > 0);
    logarithms.push_back(std::log(*launch));
  }
  if (logarithms.empty()) return std::nullopt;
  return from_logarithms(logarithms);
}

std::optional<Estimate> mean_estimate(const Launches& launches) {
  std::vector<double> values;
  for (const auto& launch : launches) {
    if (launch) values.push_back(*launch);
  }
  if (values.empty()) return std::nullopt;
  return mean_of(values);
}

std::optional<Estimate> ratio(const Launches& numerator, const Launches& denominator) {
  const auto above = estimate(numerator);
  const auto below = estimate(denominator);
  if (!above || !below) return std::nullopt;
  Launches quotients;
  for (std::size_t round = 0; round < std::min(numerator.size(), denominator.size()); ++round) {
    if (!numerator[round] || !denominator[round]) continue;
    quotients.emplace_back(*numerator[round] / *denominator[round]);
  }
  const auto paired = estimate(quotients);
  const double value = above->value / below->value;
  if (!paired) {
    return Estimate{.value = value, .launches = std::min(above->launches, below->launches)};
  }
  // Where every launch has a partner, both are the same but for rounding.
  if (paired->launches == above->launches && paired->launches == below->launches) return paired;
  Estimate result{.value = value, .interval = paired->interval, .launches = paired->launches};
  if (auto& interval = result.interval) {
    interval->low = std::min(interval->low, value);
    interval->high = std::max(interval->high, value);
  }
  return result;
}

Estimate scaled(Estimate estimate, double factor) {
  estimate.value *= factor;
  if (estimate.interval) {
    estimate.interval->low *= factor;
    estimate.interval->high *= factor;
  }
  return estimate;
}

Estimate complement(const Estimate& share) {
  Estimate rest = share;
  rest.value = 1 - share.value;
  if (share.interval) rest.interval = Interval{1 - share.interval->high, 1 - share.interval->low};
  return rest;
}

}  // namespace lockstep::stats
