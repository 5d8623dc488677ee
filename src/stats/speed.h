#pragma once

#include <optional>
#include <span>

namespace lockstep::stats {

// Images per second over some steps, as a line of tf_cnn_benchmarks says it.
struct Speed {
  double mean = 0;            // images per step / mean step time
  double standard_error = 0;  // of the steps' speeds: standard deviation / sqrt(steps)
  double jitter = 0;          // of the steps' speeds: robust deviation
};

// With `ewma`, the mean step time weighs a step that is k steps old by (1 - ewma)^k.
Speed speed(std::span<const double> step_times, double images_per_step,
            std::optional<double> ewma = {});

}  // namespace lockstep::stats
