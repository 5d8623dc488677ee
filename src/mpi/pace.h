#pragma once

#include <chrono>
#include <cstddef>

namespace lockstep::mpi {

// How long to sleep between two looks at what is in flight. Looks wake the processor up and take it
// from whoever computes, so there should be few; but what has arrived waits for the next one. Both
// are small beside the time for which there is no news, or for which there will be none.
class Pace {
 public:
  using Time = std::chrono::steady_clock::time_point;

  void renew(Time now) { news_ = now; }  // somebody wants something: an answer may come at once
  void start(std::size_t bytes) { in_flight_ += static_cast<double>(bytes); }
  void finish(std::size_t bytes, Time now);

  std::chrono::microseconds sleep(Time now) const;

 private:
  Time news_ = {};        // when something finished or was wanted last
  double in_flight_ = 0;  // bytes
  // What has finished of late, and how long it took: the older, the less it counts.
  double bytes_ = 0;
  double seconds_ = 0;
};

}  // namespace lockstep::mpi
