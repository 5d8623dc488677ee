#include "stats/losses.h"

#include <algorithm>

#include "stats/sweep.h"

namespace lockstep::stats {
namespace {

using record::Phase;

// Of a launch that says what its steps consist of.
std::optional<double> share(const Launch& launch, Part part) {
  if (!(launch.phase(Phase::forward) > 0 && launch.step_ms_mean > 0)) return std::nullopt;
  return part_ms(launch, part) / launch.step_ms_mean;
}

Launches shares(const PointRecord& point, Part part) {
  Launches values;
  for (const auto& launch : point.launches) {
    values.push_back(launch ? share(*launch, part) : std::nullopt);
  }
  return values;
}

// With t the time of an image on a device: (t(ceiling) - t(baseline)) / t(point), by rounds that
// have all three.
std::optional<Estimate> contention(const PointRecord& point, const Surroundings& surroundings) {
  if (surroundings.baseline == nullptr || surroundings.ceiling == nullptr) return std::nullopt;
  const Launches speed = speeds(point);
  const Launches alone = speeds(*surroundings.baseline);
  const Launches apart = speeds(*surroundings.ceiling);
  Launches values;
  for (std::size_t k = 0; k < std::min({speed.size(), alone.size(), apart.size()}); ++k) {
    if (!speed[k] || !alone[k] || !apart[k]) continue;
    values.emplace_back(*speed[k] / *apart[k] -
                        *speed[k] / (surroundings.device_ratio * *alone[k]));
  }
  return mean_estimate(values);
}

}  // namespace

double part_ms(const Launch& launch, Part part) {
  switch (part) {
    case Part::input:
      return launch.phase(Phase::input);
    case Part::forward:
      return launch.phase(Phase::forward);
    case Part::backward:
      return launch.phase(Phase::backward);
    case Part::exchange:
      return launch.phase(Phase::exchange) - launch.waiting_ms;
    case Part::waiting:
      return launch.waiting_ms;
    case Part::update:
      return launch.phase(Phase::update);
    case Part::other:
      break;
  }
  return launch.other_ms;
}

std::optional<Losses> losses(const PointRecord& point, const Surroundings& surroundings) {
  if (!point.failure.empty()) return std::nullopt;
  Losses losses;
  for (const Part part : kAllParts) {
    const auto estimate = mean_estimate(shares(point, part));
    if (!estimate) return std::nullopt;
    losses.parts[static_cast<std::size_t>(part)] = *estimate;
  }
  losses.contention = contention(point, surroundings);
  return losses;
}

}  // namespace lockstep::stats
