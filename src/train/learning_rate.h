#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/zoo.h"
#include "spec/trial.h"

namespace lockstep::train {

// The learning rate of every step. What the user asked for wins over what the model brings along:
// a piecewise schedule first, then an initial rate, then the model's own.
class LearningRate {
 public:
  // Epochs become steps by the examples that all ranks together see in a step. Throws Error(usage)
  // for a piecewise schedule that is none.
  LearningRate(const spec::LearningRate& asked, const model::OwnLearningRate& own,
               std::int64_t global_batch, std::int64_t examples_per_epoch);

  // Steps count from 0, warm-up of the measurement included.
  double at(std::int64_t step) const;

 private:
  struct Piece {
    std::int64_t from_step;
    double rate;
  };

  // Every schedule is pieces, each times `decay_factor` after every `decay_steps` steps (0: never)
  // but not below `minimum`; before all that a straight line from 0 to the first piece's rate.
  std::vector<Piece> pieces_;
  std::int64_t decay_steps_ = 0;
  double decay_factor_ = 1;
  double minimum_ = 0;
  std::int64_t warmup_steps_ = 0;
};

// What was asked for and has no effect on this model, as a sentence. Flags that have none whatever
// the model are the parser's to warn of.
std::optional<std::string> unused_rate(const spec::LearningRate& asked,
                                       const model::OwnLearningRate& own);

}  // namespace lockstep::train
