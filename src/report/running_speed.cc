#include "report/running_speed.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace lockstep::report {
namespace {

// The middle of n values of which value(rank) is the one of that rank.
template <typename Value>
double median_of(std::size_t n, const Value& value) {
  const double below = value((n - 1) / 2);
  return n % 2 == 1 ? below : below + 0.5 * (value(n / 2) - below);
}

}  // namespace

RunningSpeed::RunningSpeed(double images_per_step, std::optional<double> ewma)
    : images_per_step_(images_per_step), decay_(1 - ewma.value_or(0)) {}

void RunningSpeed::add(double step_time) {
  time_sum_ = time_sum_ * decay_ + step_time;
  weight_sum_ = weight_sum_ * decay_ + 1;
  const double speed = images_per_step_ / step_time;
  speeds_.insert({speed, steps()});
  // Welford: no difference of large sums.
  const double distance = speed - speed_mean_;
  speed_mean_ += distance / static_cast<double>(steps());
  squares_ += distance * (speed - speed_mean_);
}

stats::Speed RunningSpeed::speed() const {
  LOCKSTEP_CHECK(steps() > 0);
  const auto n = static_cast<double>(steps());
  return {.mean = images_per_step_ * weight_sum_ / time_sum_,
          .standard_error = std::sqrt(squares_ / n) / std::sqrt(n),
          .jitter = jitter()};
}

// Speeds below the median and those above it, each from the median outwards, are two ascending
// series of distances: what has a given rank in both together is found by bisection.
double RunningSpeed::jitter() const {
  const std::size_t n = speeds_.size();
  const double center = median_of(n, [&](std::size_t rank) { return sorted(rank); });
  const std::size_t split = speeds_.order_of_key({center, -1});
  const auto below = [&](std::size_t i) { return center - sorted(split - 1 - i); };
  const auto above = [&](std::size_t i) { return sorted(split + i) - center; };
  const auto distance = [&](std::size_t rank) {
    // The rank + 1 nearest speeds: how many of them are from below?
    std::size_t fewest = rank + 1 > n - split ? rank + 1 - (n - split) : 0;
    std::size_t most = std::min(rank + 1, split);
    while (fewest < most) {
      const std::size_t middle = (fewest + most) / 2;
      if (below(middle) < above(rank - middle)) {
        fewest = middle + 1;
      } else {
        most = middle;
      }
    }
    if (fewest == 0) return above(rank);
    if (fewest == rank + 1) return below(rank);
    return std::max(below(fewest - 1), above(rank - fewest));
  };
  return 1.4826 * median_of(n, distance);
}

}  // namespace lockstep::report
