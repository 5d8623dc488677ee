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
#include "train/input.h"
#include "train/learner.h"
#include "train/state.h"

namespace lockstep::train {

// A rank's copy of the network with all that one step needs: parameters, gradients, optimiser, and
// where images come from.
class Replica {
 public:
  // Collective: takes the memory and fills it, so that the first step can come. Construct it and
  // step it on the thread that compiled the engine.
  Replica(const spec::Trial& trial, const model::Model& model,
          std::unique_ptr<engine::Engine> engine, comm::Transport& transport, const Site& site,
          const Supplies& supplies = {});

  std::int64_t global_batch() const { return global_batch_; }
  const Start& start() const { return start_; }
  std::int64_t steps() const { return start_.step + steps_; }  // done, also before a checkpoint
  const Exchange& exchange() const { return exchange_; }

  // One step as the trial's mode has it; `wishes` go into the tally. Returns the sums over all
  // ranks. Throws Error(rank_failed) that names the step and the layer when the loss is not finite;
  // that step is not recorded.
  Tally step(record::Recorder& recorder, const Tally& wishes);
  // Behind the last step: until all parameters have arrived that are still on their way.
  void land();
  void restart_flights() { exchange_.restart_flights(); }

  data::InputTimes take_input_times() { return input_->take_times(); }

  // Collective, behind land(), with the servers of the world: rank 0 writes a checkpoint.
  void save();
  engine::Engine& engine() { return *engine_; }

 private:
  void end(record::Recorder& recorder, record::Phase phase);
  std::int64_t images_that_count() const;

  const spec::Trial& trial_;
  const int rank_;
  const bool training_;
  const bool wants_accuracy_;
  const bool staged_;
  const double weight_decay_;
  const Layout layout_;
  const Start start_;
  Exchange exchange_;  // in front of the engine, whose memory it has
  Buffer stale_;       // the network's own parameters, where those of the exchange are a step ahead
  std::optional<Learner> learner_;
  std::unique_ptr<engine::Engine> engine_;
  std::uint64_t first_sample_ = 0;  // of this rank, among all in a step
  std::int64_t global_batch_ = 0;
  std::int64_t steps_ = 0;           // done here
  std::optional<Input> input_ = {};  // behind the engine, whose images it fills
  double squares_ = 0;  // sum over the decaying parameters, as the next forward sees them
};

}  // namespace lockstep::train
