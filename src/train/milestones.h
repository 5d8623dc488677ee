#pragma once

#include <cstdint>
#include <vector>

#include "spec/trial.h"

namespace lockstep::train {

// Behind which steps of a training run all ranks save or evaluate. Steps are counted from the begin
// of training, also before a checkpoint.
class Milestones {
 public:
  Milestones(const spec::Trial& trial, std::int64_t examples_per_epoch, std::int64_t global_batch);

  bool saves() const { return saves_; }  // at all: then behind the last step, too
  bool evaluates() const { return evaluates_; }

  // `step`: as many are done then. `seconds`: since the last checkpoint, or since the start.
  bool saves_behind(std::int64_t step, double seconds) const;
  bool evaluates_behind(std::int64_t step) const;

 private:
  const spec::Checkpoints checkpoints_;
  const bool saves_, evaluates_;
  double every_steps_ = 0;        // of evaluations; 0: none
  std::vector<std::int64_t> at_;  // steps
};

}  // namespace lockstep::train
