#pragma once

#include <cstdint>
#include <span>

#include "base/buffer.h"
#include "comm/executor.h"
#include "model/zoo.h"
#include "spec/trial.h"
#include "train/layout.h"
#include "train/learning_rate.h"
#include "train/optimizer.h"

namespace lockstep::train {

// Updates a rank's parameters by what the exchange brings, or, with relaxed consistency, by what it
// brought a step ago. The floats behind the layout's are the tally's: their sums are the update.
class Learner : public comm::Keeper {
 public:
  // `gradients_of`: so many ranks' gradients make a sum.
  Learner(const spec::Trial& trial, const model::Model& model, const Layout& layout,
          std::int64_t global_batch, std::int64_t examples_per_epoch, int gradients_of,
          std::span<float> parameters);

  void begin_step(std::int64_t step);
  // What the optimiser remembers: its slot's number of every element that this rank updates.
  std::span<float> slot(std::size_t i) const { return optimizer_.slot(i).first(layout_.floats); }
  // Of the decaying parameters in the range, as they are.
  double squares(comm::Range range);

  // Both return the squares of the range's decaying parameters.
  double update(comm::Range range, const float* sums) override;
  double received(comm::Range range, const float* values) override;

 private:
  // Calls visit(part of the range, decays) for every parameter that the range touches.
  template <typename Visit>
  double each_segment(comm::Range range, const Visit& visit) const;

  const Layout& layout_;
  const std::span<float> parameters_;
  LearningRate learning_rate_;
  Optimizer optimizer_;
  Buffer late_;  // sums of the step before; none: the update takes them at once
};

}  // namespace lockstep::train
