#pragma once

#include <cstdint>
#include <span>

#include "comm/schedule.h"
#include "engine/engine.h"
#include "spec/trial.h"
#include "train/learning_rate.h"
#include "train/optimizer.h"

namespace lockstep::equivalence {

// How parameters follow sums of gradients: the optimiser, one parameter after the other.
class Rule {
 public:
  // `gradients_of`: so many batches' gradients make a sum. `batches`: so many are a step's, which
  // the learning rate follows.
  Rule(const spec::Trial& trial, std::span<const engine::Parameter> layout,
       std::span<float> parameters, int gradients_of, int batches);

  void begin_step(std::int64_t step);
  // As far as the range goes; `sums` are those of all parameters.
  void update(const comm::Range& range, std::span<const float> sums);
  void update(std::span<const float> sums) { update({0, sums.size()}, sums); }
  // What the parameters add to the loss as they decay.
  double penalty() const;

 private:
  const double weight_decay_;
  const std::span<const engine::Parameter> layout_;
  const std::span<const float> parameters_;
  const train::LearningRate rate_;
  train::Optimizer optimizer_;
};

}  // namespace lockstep::equivalence
