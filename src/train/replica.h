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
#include "train/exchange.h"
#include "train/learner.h"

namespace lockstep::train {

// A rank's copy of the network with all that one step needs: parameters, gradients, optimiser, and
// one batch of made-up images that stays the same, labels too.
class Replica {
 public:
  // Collective: takes the memory and fills it, so that the first step can come. Construct it and
  // step it on the thread that compiled the engine.
  Replica(const spec::Trial& trial, const model::Model& model,
          std::unique_ptr<engine::Engine> engine, comm::Transport& transport, const Site& site);

  std::int64_t global_batch() const { return global_batch_; }
  const Exchange& exchange() const { return exchange_; }

  // One step as the trial's mode has it; `wishes` go into the tally. Returns the sums over all
  // ranks. Throws Error(rank_failed) that names the step and the layer when the loss is not finite;
  // that step is not recorded.
  Tally step(record::Recorder& recorder, const Tally& wishes);
  // Behind the last step: until all parameters have arrived that are still on their way.
  void land();
  void restart_flights() { exchange_.restart_flights(); }

 private:
  void end(record::Recorder& recorder, record::Phase phase);

  const bool training_;
  const bool wants_accuracy_;
  const bool staged_;
  const double weight_decay_;
  const Layout layout_;
  Exchange exchange_;  // in front of the engine, whose memory it has
  Buffer stale_;       // the network's own parameters, where those of the exchange are a step ahead
  std::optional<Learner> learner_;
  std::unique_ptr<engine::Engine> engine_;
  std::uint64_t first_sample_ = 0;
  std::int64_t global_batch_ = 0;
  std::vector<int> labels_;
  double squares_ = 0;  // sum over the decaying parameters, as the next forward sees them
};

}  // namespace lockstep::train
