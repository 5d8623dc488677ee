#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "base/rng.h"
#include "stats/generated_series.h"
#include "stats/launches.h"
#include "stats/summary.h"

namespace lockstep::stats {

// Launches of which the truth is known, as a machine with disturbances would measure them, from
// single steps on: what differs between launches, what neighbouring steps share, and interruptions.
struct Disturbances {
  int rounds = 5;
  int steps = 40;        // timed, of a launch
  double launch = 0.02;  // deviation of a launch's speed, relative
  double step = 0.02;    // of a step's time, each remembering half of the last one's
  double disturbed = 0;  // share of launches beside which something else ran
};

inline constexpr double kDisturbance = 0.2;  // the most that it takes of such a launch's speed

// Of one launch; 1 without disturbances.
inline double generated_speed(const Disturbances& machine, const Rng& rng) {
  const std::uint64_t seed = rng.bits(0);
  const std::vector<double> times = series_of(
      machine.steps, [](int) { return 0; },
      sum(ar1_noise(seed, machine.steps), interruptions(seed, machine.steps)), machine.step);
  std::vector<record::Sample> samples;
  double clock = 0;
  for (const double time : times) {
    samples.push_back({.step = static_cast<std::int64_t>(samples.size()), .begin = clock});
    samples.back().end = clock += time;
  }
  const double left = rng.uniform(1) < machine.disturbed ? 1 - kDisturbance * rng.uniform(2) : 1;
  return left * std::exp(machine.launch * rng.normal(3)) * summarise(samples, 1).images_per_second;
}

struct LaunchPair {
  Launches candidate, baseline;
};

// The candidate's speed is `ratio` times the baseline's.
inline LaunchPair generated_pair(const Disturbances& machine, double ratio, std::uint64_t seed) {
  LaunchPair pair;
  for (int round = 0; round < machine.rounds; ++round) {
    const Rng rng = Rng(seed).stream(static_cast<std::uint64_t>(round));
    pair.candidate.emplace_back(ratio * generated_speed(machine, rng.stream(1)));
    pair.baseline.emplace_back(generated_speed(machine, rng.stream(2)));
  }
  return pair;
}

}  // namespace lockstep::stats
