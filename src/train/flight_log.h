#pragma once

#include <span>
#include <vector>

#include "base/clock.h"
#include "record/flight.h"

namespace lockstep::train {

// Adds up, step by step, when buckets were on their way and when the rank did not compute.
class FlightLog {
 public:
  // `intervals`: about so many of a step will be idle.
  FlightLog(std::span<const double> bucket_bytes, std::size_t intervals);

  void restart();  // counts from here on
  // The rank does not compute. Intervals of a step come in order and do not overlap.
  void idle(Interval interval) { idle_.push_back(interval); }
  // The step's exchange is over: when each bucket was on its way, in the order of their begins; and
  // when, within idle intervals, the rank waited for others.
  void land(std::span<const Interval> flights, std::span<const Interval> waited);

  record::Flight mean() const;

 private:
  std::vector<Interval> idle_;  // since the last landing
  record::Flight sum_;
  double steps_ = 0;
};

}  // namespace lockstep::train
