#include "stats/power.h"

#include <cmath>

#include "base/check.h"
#include "stats/student.h"

namespace lockstep::stats {
namespace {

// What lies below the 80th percentile lies within the middle 60 %.
constexpr double kFourOfFive = 0.6;

// The standard deviation of the logarithms of the quotients.
std::optional<double> spread(const Estimate& ratio) {
  if (!ratio.interval || ratio.launches < 2) return std::nullopt;
  const double half = std::log(ratio.interval->high / ratio.interval->low) / 2;
  return half * std::sqrt(ratio.launches) / student_quantile(0.95, ratio.launches - 1);
}

// The logarithm of the smallest difference that this many launches find in four of five cases:
// half the interval, and as much again as the estimate is low in one case of five.
double found(double spread, int launches) {
  const int degrees = launches - 1;
  return (student_quantile(0.95, degrees) + student_quantile(kFourOfFive, degrees)) * spread /
         std::sqrt(launches);
}

}  // namespace

std::optional<int> launches_to_decide(const Estimate& ratio, double effect) {
  LOCKSTEP_CHECK(effect > 0);
  const std::optional<double> deviation = spread(ratio);
  const double wanted = std::log1p(effect);
  if (!deviation || found(*deviation, kMostLaunches) > wanted) return std::nullopt;
  int low = 1;  // too few
  int high = kMostLaunches;
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    (found(*deviation, middle) > wanted ? low : high) = middle;
  }
  return high;
}

std::optional<double> decidable_effect(const Estimate& ratio) {
  const std::optional<double> deviation = spread(ratio);
  if (!deviation) return std::nullopt;
  return std::expm1(found(*deviation, ratio.launches));
}

}  // namespace lockstep::stats
