#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "record/sample.h"
#include "stats/interval.h"

namespace lockstep::stats {

// What the timed steps of a run say. Every figure is defined in docs/measurement.md; all of them
// are over the kept steps.
struct Summary {
  std::int64_t steps = 0;          // kept
  std::int64_t cut = 0;            // timed, but left out: the run was not steady yet
  std::int64_t kept_unsteady = 0;  // the same, but kept: the user chose the warm-up
  double seconds = 0;              // from the begin of the first kept step to the end of the last

  double images_per_second = 0;
  std::optional<Interval> images_per_second_interval;  // 95 %; nothing for a single step
  double standard_error = 0;                           // of the steps' speeds, in images/s
  double jitter = 0;                                   // of the steps' speeds, in images/s
  double images_per_second_median = 0;                 // images of a step / median step

  double step_mean = 0;  // seconds
  double step_median = 0;
  double step_p90 = 0;
  double step_p95 = 0;
  double step_p99 = 0;
  std::array<double, record::kPhases> phases{};  // mean seconds per step

  double drift = 0;     // median step of the second half over that of the first, minus 1
  bool stable = false;  // interval and drift are within kStable
};

// Relative: half the width of the interval, and the drift.
inline constexpr double kStable = 0.05;

// The time of each step: until the next one begins, so that they add up to the wall time; the last
// one until its end.
std::vector<double> step_times(std::span<const record::Sample> samples);

// What becomes of first steps that differ from the steady ones. Whoever chooses the warm-up chooses
// which steps count: then they are kept.
enum class UnsteadyStart { cut, kept };

// Of at least one timed step of one rank; `global_batch` is the images of a step on all ranks.
Summary summarise(std::span<const record::Sample> timed, int global_batch,
                  UnsteadyStart start = UnsteadyStart::cut);

// "4.0 to 5.0 images/s"; a bound that is infinite is said in words.
std::string speed_range(const Interval& images_per_second);

// What a reader of the summary must know: a start that is not steady, a speed that is not stable.
std::vector<std::string> warnings(const Summary& summary);

// The rule of --target-precision: half the width of the 95 % interval is at most `target` times
// the mean, over at least kFewestForPrecision kept steps.
inline constexpr std::size_t kFewestForPrecision = 20;
bool precise_enough(std::span<const record::Sample> timed, double target,
                    UnsteadyStart start = UnsteadyStart::cut);

}  // namespace lockstep::stats
