#pragma once

#include <span>
#include <vector>

#include "record/flight.h"

namespace lockstep::train {

// On now()'s clock.
struct Interval {
  double begin = 0, end = 0;
};

// Adds up, step by step, when buckets were on their way and when the rank did not compute.
class FlightLog {
 public:
  // `intervals`: about so many of a step will be idle.
  FlightLog(std::span<const double> bucket_bytes, std::size_t intervals);

  void restart();  // counts from here on
  // The rank does not compute. Intervals of a step come in order and do not overlap.
  void idle(Interval interval) { idle_.push_back(interval); }
  // The step's exchange is over: when each bucket was on its way, in the order of their begins.
  void land(std::span<const Interval> flights);

  record::Flight mean() const;

 private:
  double idle_during(Interval interval) const;

  std::vector<Interval> idle_;  // since the last landing
  record::Flight sum_;
  double steps_ = 0;
};

}  // namespace lockstep::train
