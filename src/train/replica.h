#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/buffer.h"
#include "engine/engine.h"
#include "model/zoo.h"
#include "record/recorder.h"
#include "spec/trial.h"
#include "train/learning_rate.h"
#include "train/optimizer.h"

namespace lockstep::train {

// A rank's copy of the network with all that one step needs: parameters, gradients, optimiser, and
// one batch of made-up images that stays the same, labels too.
class Replica {
 public:
  // Takes the memory and fills it: the first step can come. Construct it and step it on the thread
  // that compiled the engine.
  Replica(const spec::Trial& trial, const model::Model& model,
          std::unique_ptr<engine::Engine> engine);

  std::int64_t global_batch() const { return global_batch_; }

  // One step as the trial's mode has it. Throws Error(rank_failed) that names the step and the
  // layer when the loss is not finite; that step is not recorded.
  void step(record::Recorder& recorder);

 private:
  // What training has and running forward has not.
  struct Training {
    LearningRate learning_rate;
    Optimizer optimizer;
  };

  void update(std::int64_t step);

  // In front of the engine: they must outlive it.
  Buffer parameters_, gradients_;
  std::unique_ptr<engine::Engine> engine_;
  std::vector<int> labels_;
  std::int64_t global_batch_ = 0;
  std::optional<Training> training_;
  bool wants_accuracy_ = false;
  double weight_decay_ = 0;
  double squares_ = 0;  // sum over the decaying parameters, as the last forward saw them
};

}  // namespace lockstep::train
