#pragma once

namespace lockstep {

// Seconds on the machine's monotonic clock; only differences mean anything.
double now();

// On that clock.
struct Interval {
  double begin = 0, end = 0;

  double seconds() const { return end - begin; }
};

}  // namespace lockstep
