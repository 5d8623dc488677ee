#pragma once

#include <span>
#include <vector>

#include "record/sample.h"

namespace lockstep::record {

// Collects the samples of one rank. Memory for `capacity` steps is taken at construction, so that
// nothing is allocated inside a step; when it is full it grows between two steps.
//
//   recorder.begin();  ... input ...  recorder.end(Phase::input);  ... forward ...
//   recorder.end(Phase::forward);  ...  recorder.finish(loss, base_loss);
class Recorder {
 public:
  explicit Recorder(std::size_t capacity);

  void begin();           // a step starts
  void end(Phase phase);  // what ran since the last call (or begin) was `phase`; adds up per phase
  // So many seconds of what was charged to `from` were spent on `to`.
  void move(Phase from, Phase to, double seconds);
  void exchanged(double waiting, double wire);
  // The step is over. Grows the storage here if the next step would not fit.
  void finish(float loss, float base_loss, float top_1 = 0, float top_5 = 0);

  // Between two steps: the last so many seconds are no part of the run. Steps begin as if they had
  // not been.
  void leave_out(double seconds) { origin_ += seconds; }

  std::span<const Sample> samples() const { return samples_; }

 private:
  std::vector<Sample> samples_;
  Sample current_;
  double origin_ = -1;
  double last_ = 0;
};

}  // namespace lockstep::record
