#pragma once

#include <optional>
#include <span>

namespace lockstep::stats {

struct Interval {
  double low = 0;
  double high = 0;

  double half_width() const { return (high - low) / 2; }
  bool contains(double value) const { return low <= value && value <= high; }
};

// 95 % confidence interval of the mean of a stationary series whose values may depend on their
// neighbours: batch means. The series is cut into about sqrt(n) runs of consecutive values; the
// means of long runs are nearly independent and normal whatever the values are, so that Student's t
// holds for them. docs/measurement.md has the measured coverage. Nothing for fewer than 2 values.
std::optional<Interval> mean_interval(std::span<const double> series);

}  // namespace lockstep::stats
