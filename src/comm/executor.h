#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/clock.h"
#include "comm/program.h"
#include "comm/transport.h"
#include "comm/window.h"

namespace lockstep::comm {

// What becomes of exchanged numbers. Called for disjoint ranges side by side, on the threads of the
// rank's team or on the wire's; both return a figure of the range, and figure() adds them up.
class Keeper {
 public:
  virtual ~Keeper() = default;
  // sums[i] is the sum over all ranks of element range.begin + i of the gradients: update the
  // parameters by it.
  virtual double update(Range range, const float* sums) = 0;
  // Another rank's update of the range has arrived: values[i] is what element range.begin + i of
  // the parameters becomes.
  virtual double received(Range range, const float* values) = 0;
};

// What exchange took, in seconds.
struct ExchangeTimes {
  double waiting = 0;   // for other ranks, with nothing else to do
  double moving = 0;    // reading and adding what they have, with the update that follows at once
  double updating = 0;  // where there was nothing to add
  double wire = 0;      // adding and updating on the wire's thread, beside the rank's own
};

// Runs one rank's programs, one per chunk, step after step. All calls come from one thread, the
// master of the rank's team. Chunks that stay within the host are moved by that team whenever it
// looks (progress, finish); those that leave it are moved by the wire's thread.
class Executor {
 public:
  // `windows`: by rank; empty for those of other hosts. `spin`: poll for a while before sleeping,
  // which is right where every thread has a core of its own.
  Executor(Transport& transport, std::vector<Program> programs, std::vector<Window> windows,
           Keeper& keeper, bool spin);
  ~Executor();

  // A step, in this order. Both that wait throw the first cause when a rank is lost meanwhile.
  void begin();
  void settle();             // before the first gradient is written: peers have read the last ones
  void produced(int chunk);  // its gradients are final and its parameters not read again
  void progress();           // does what can be done at once
  void await(int chunk);     // until its new parameters are here
  void finish();             // until those of all chunks are

  // Since the last call; `wire` up to the last finish.
  ExchangeTimes take_times();
  // Of the last finished step.
  double figure() const;
  double produced_at(int chunk) const;  // on now()'s clock
  double done_at(int chunk) const;
  // When the rank waited for others, in order; since begin().
  std::span<const Interval> waited() const;

  std::uint64_t bytes_sent() const;  // since the start
  std::uint64_t bytes_received() const;

 private:
  class State;
  std::shared_ptr<State> state_;  // the wire's jobs hold it, too: they may come after our end
};

}  // namespace lockstep::comm
