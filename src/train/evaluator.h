#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/buffer.h"
#include "comm/transport.h"
#include "engine/engine.h"
#include "spec/trial.h"
#include "train/accuracy.h"
#include "train/input.h"

namespace lockstep::train {

// Images that were looked at, and hits among them.
struct Score {
  std::int64_t images = 0;
  Hits hits = {};

  double top_1() const { return static_cast<double>(hits.top_1) / static_cast<double>(images); }
  double top_5() const { return static_cast<double>(hits.top_5) / static_cast<double>(images); }
};

// Whether training may end here (--stop_at_top_1_accuracy).
bool reaches_accuracy(const spec::Trial& trial, const Score& score);

// Collective: the sum over all ranks.
Score sum_of_scores(comm::Transport& transport, const Score& mine);

// A second engine beside the one that is trained, in evaluation mode, which takes over its
// parameters and looks at this rank's share of the validation split, every image once.
class Evaluator {
 public:
  // Before others bind theirs or behind it, on the same thread.
  Evaluator(const spec::Trial& trial, std::unique_ptr<engine::Engine> engine, const Feed& feed,
            int rank, int ranks, int outputs);

  // `moving`: batch norm's moving averages.
  Score run(const engine::Engine& trained, std::span<const float> moving);

 private:
  const spec::Trial& trial_;
  const Feed feed_;
  const int rank_, ranks_, outputs_;
  Buffer parameters_, gradients_;
  std::unique_ptr<engine::Engine> engine_;
};

}  // namespace lockstep::train
