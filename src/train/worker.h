#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/error.h"
#include "engine/engine.h"
#include "model/zoo.h"
#include "record/flight.h"
#include "record/sample.h"
#include "spec/trial.h"
#include "train/evaluator.h"
#include "train/exchange.h"
#include "train/state.h"

namespace lockstep::train {

// An evaluation during training.
struct Evaluated {
  std::int64_t step = 0;  // behind so many, also before a checkpoint
  Score score = {};
  double seconds = 0;           // since the first step began
  double training_seconds = 0;  // the same without evaluations and checkpoints
  bool reached = false;         // --stop_at_top_1_accuracy
};

// What the world around a rank hears and decides, always between two steps. Any may be empty.
struct Hooks {
  std::function<void()> on_warm_up_start;
  std::function<void()> on_timed_start;
  // Behind every step. `timed_step` counts the timed ones from 1 and is 0 during warm-up.
  std::function<void(const record::Sample& sample, std::int64_t timed_step)> on_step;

  // Whether the warm-up is over, by the times of its steps so far. Asked where the trial fixes no
  // number of steps; empty: after 10.
  std::function<bool(std::span<const double> step_seconds)> warmed_up;
  // Whether the timed steps so far are enough; empty: never.
  std::function<bool(std::span<const record::Sample> timed)> precise_enough;
  const std::atomic<bool>* stop = nullptr;  // set by ^C

  // Around an evaluation during training; `last`: behind the last step.
  std::function<void(std::int64_t step, bool last)> on_evaluation_start;
  std::function<void(const Evaluated& evaluated, bool last)> on_evaluated;
};

enum class Ending { batches, precision, time, accuracy, interrupted, error };

// Samples that a rank has room for from the start of a run with this many timed steps: those and a
// few more, within reason. A longer run grows between two steps.
std::int64_t recorded_steps(std::int64_t batches);

// What a rank leaves behind, whatever ended it.
struct Outcome {
  std::vector<record::Sample> samples;  // of all whole steps, warm-up first
  std::int64_t warm_up_steps = 0;       // so many of them
  double first_step_begin = 0;          // on now()'s clock
  Ending ending = Ending::batches;
  std::optional<Error> error;                        // where that is the ending
  std::uint64_t bytes_sent = 0, bytes_received = 0;  // of gradients and parameters, by this rank
  record::Flight flight;                             // of the timed steps
  data::InputTimes input;                            // likewise
  std::vector<Evaluated> evaluations;
};

// Trains (or runs forward only, or evaluates) one rank on the engine compiled for the trial: warms
// up, then times steps until the trial or a hook says stop. Ranks in step stop together: what one
// of them wishes, all do behind the next step. Call it on the thread that compiled the engine. An
// Error before the first step is thrown, a later one becomes the outcome's; the other ranks hear of
// both.
Outcome train(const spec::Trial& trial, const model::Model& model,
              std::unique_ptr<engine::Engine> engine, comm::Transport& transport, const Site& site,
              const Hooks& hooks, Supplies supplies = {});

}  // namespace lockstep::train
