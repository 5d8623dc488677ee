#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "comm/transport.h"
#include "engine/engine.h"
#include "model/zoo.h"
#include "spec/trial.h"
#include "train/checkpoint.h"
#include "train/exchange.h"
#include "train/input.h"
#include "train/learner.h"

namespace lockstep::train {

// What a rank that trains is given beside its engine.
struct Supplies {
  Feed feed = {};
  // Where to go on from; none: from the start. In training rank 0 has it, otherwise everybody.
  const Checkpoint* checkpoint = nullptr;
  // Of the same network, in evaluation mode: where it is evaluated during training.
  std::unique_ptr<engine::Engine> evaluator = {};
};

// Where all ranks begin.
struct Start {
  std::int64_t examples = 0;  // of an epoch
  bool resumes = false;       // from a checkpoint, which says the rest
  std::int64_t step = 0;
  std::uint64_t images = 0;
  double squares = 0;
};

// Collective where the trial has a dataset or checkpoints. A server brings no supplies and hears it
// from rank 0. Throws Error(environment) where ranks have different datasets or checkpoints.
Start agreed_start(const spec::Trial& trial, const model::Model& model, const Supplies& supplies,
                   comm::Transport& transport);

void set_parameters(engine::Engine& engine, const Checkpoint& checkpoint);

// Both collective, between two steps that have landed; `engine` and `checkpoint` are rank 0's, null
// on others. Tensors of the network and of the optimiser, from those who keep them to rank 0:
std::vector<Checkpoint::Tensor> gather_state(spec::OptimizerKind kind, Exchange& exchange,
                                             const Learner& learner, engine::Engine* engine);
// and back to everybody.
void spread_state(spec::OptimizerKind kind, Exchange& exchange, const Learner& learner,
                  engine::Engine* engine, const Checkpoint* checkpoint);

}  // namespace lockstep::train
