#include "train/flight_log.h"

#include <algorithm>

#include "base/check.h"

namespace lockstep::train {
namespace {

// Of the interval, how much the others take.
double share(Interval interval, std::span<const Interval> others) {
  double sum = 0;
  for (const Interval& other : others) {
    sum += std::max(0.0, std::min(other.end, interval.end) - std::max(other.begin, interval.begin));
  }
  return sum;
}

}  // namespace

FlightLog::FlightLog(std::span<const double> bucket_bytes, std::size_t intervals) {
  for (const double bytes : bucket_bytes) sum_.buckets.push_back({.bytes = bytes});
  idle_.reserve(intervals);  // nothing is to be allocated within a step
}

void FlightLog::restart() {
  idle_.clear();
  sum_.seconds = sum_.exposed = steps_ = 0;
  for (record::Flight::Bucket& bucket : sum_.buckets) bucket = {.bytes = bucket.bytes};
}

void FlightLog::land(std::span<const Interval> flights, std::span<const Interval> waited) {
  LOCKSTEP_CHECK(flights.size() == sum_.buckets.size());
  double counted_until = 0;  // for all of them together
  for (std::size_t i = 0; i < flights.size(); ++i) {
    const Interval& flight = flights[i];
    sum_.buckets[i].seconds += flight.seconds();
    sum_.buckets[i].exposed += share(flight, idle_);
    sum_.buckets[i].waiting += share(flight, waited);
    const Interval fresh{std::max(flight.begin, counted_until), flight.end};
    if (fresh.end <= fresh.begin) continue;
    sum_.seconds += fresh.seconds();
    sum_.exposed += share(fresh, idle_);
    counted_until = fresh.end;
  }
  idle_.clear();
  ++steps_;
}

record::Flight FlightLog::mean() const {
  record::Flight mean = sum_;
  const double steps = std::max(1.0, steps_);
  mean.seconds /= steps;
  mean.exposed /= steps;
  for (record::Flight::Bucket& bucket : mean.buckets) {
    bucket.seconds /= steps;
    bucket.exposed /= steps;
    bucket.waiting /= steps;
  }
  return mean;
}

}  // namespace lockstep::train
