#include "stats/speed.h"

#include <cmath>
#include <vector>

#include "stats/quantile.h"

namespace lockstep::stats {
namespace {

double weighted_mean(std::span<const double> values, double decay) {
  double sum = 0;
  double weights = 0;
  for (const double value : values) {
    sum = sum * decay + value;
    weights = weights * decay + 1;
  }
  return sum / weights;
}

}  // namespace

Speed speed(std::span<const double> step_times, double images_per_step,
            std::optional<double> ewma) {
  std::vector<double> speeds;
  speeds.reserve(step_times.size());
  for (const double time : step_times) speeds.push_back(images_per_step / time);
  const double time = ewma ? weighted_mean(step_times, 1 - *ewma) : mean(step_times);
  return {
      .mean = images_per_step / time,
      .standard_error = standard_deviation(speeds) / std::sqrt(static_cast<double>(speeds.size())),
      .jitter = robust_deviation(speeds)};
}

}  // namespace lockstep::stats
