#include "train/worker.h"

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "record/recorder.h"
#include "train/epochs.h"
#include "train/replica.h"

namespace lockstep::train {
namespace {

constexpr std::size_t kDefaultWarmUp = 10;

// Room is taken beforehand for the timed steps and a few more, within reason: a longer run grows
// between two steps.
std::size_t room(std::int64_t batches) {
  return static_cast<std::size_t>(std::min<std::int64_t>(batches + 100, 1 << 16));
}

// One rank's steps and the decisions between them.
class Loop {
 public:
  Loop(const spec::Trial& trial, const Hooks& hooks, Replica& replica, comm::Transport& transport,
       bool in_step, std::int64_t batches)
      : trial_(trial),
        hooks_(hooks),
        replica_(replica),
        transport_(transport),
        in_step_(in_step),
        together_(in_step && transport.world() > 1),
        batches_(batches),
        recorder_(room(batches)) {}

  Outcome run() {
    Outcome outcome;
    try {
      warm_up();
      meet();
      outcome.ending = time_steps();
      replica_.land();
      meet();
    } catch (const Error& error) {
      outcome.ending = Ending::error;
      outcome.error = error;
      transport_.fail(error);
    }
    const std::span<const record::Sample> samples = recorder_.samples();
    outcome.samples.assign(samples.begin(), samples.end());
    outcome.warm_up_steps = warm_up_steps_;
    outcome.first_step_begin = first_step_begin_;
    outcome.bytes_sent = replica_.exchange().executor().bytes_sent();
    outcome.bytes_received = replica_.exchange().executor().bytes_received();
    outcome.flight = replica_.exchange().flight();
    return outcome;
  }

 private:
  // Ranks that do not wait for each other in their steps start timing at once, and end together.
  void meet() {
    if (!in_step_) transport_.all_gather({});
  }

  void warm_up() {
    if (hooks_.on_warm_up_start) hooks_.on_warm_up_start();
    while (!interrupted() && !warmed_up()) {
      step();
      ++warm_up_steps_;
      const record::Sample& sample = recorder_.samples().back();
      seconds_.push_back(sample.end - sample.begin);
      announce(0);
    }
  }

  Ending time_steps() {
    if (!interrupted() && hooks_.on_timed_start) hooks_.on_timed_start();
    replica_.land();
    replica_.restart_flights();
    for (std::int64_t timed = 0;; announce(timed)) {
      if (const std::optional<Ending> ending = this->ending(timed)) return *ending;
      wishes_.last = timed + 1 == batches_ ? 1 : 0;
      step();
      ++timed;
    }
  }

  void step() {
    if (recorder_.samples().empty()) first_step_begin_ = now();
    transport_.at_step(static_cast<std::int64_t>(recorder_.samples().size()));
    agreed_ = replica_.step(recorder_, wishes_);
  }

  void announce(std::int64_t timed_step) {
    if (hooks_.on_step) hooks_.on_step(recorder_.samples().back(), timed_step);
  }

  // A rank that is alone does what it wishes. Ranks in step do what the tally of the last step
  // says, and have their say in the next one.
  bool decided(float Tally::*wish, bool mine) {
    if (!together_) return mine;
    wishes_.*wish = mine ? 1 : 0;
    return agreed_.*wish > 0;
  }
  // One clock decides for all of them.
  template <typename Condition>
  bool decided_by_clock(float Tally::*wish, const Condition& condition) {
    return decided(wish, (!together_ || transport_.rank() == 0) && condition());
  }

  bool interrupted() {
    const bool mine = hooks_.stop != nullptr && hooks_.stop->load();
    if (together_) return decided(&Tally::interrupted, mine);
    if (mine) transport_.wish_end();
    return transport_.end_wished();
  }

  bool warmed_up() {
    if (trial_.num_warmup_batches) return warm_up_steps_ >= *trial_.num_warmup_batches;
    if (!hooks_.warmed_up) return seconds_.size() >= kDefaultWarmUp;
    return decided_by_clock(&Tally::warmed_up, [&] { return hooks_.warmed_up(seconds_); });
  }

  // Why there is no further step behind `timed` timed ones, if there is none.
  std::optional<Ending> ending(std::int64_t timed) {
    if (interrupted()) return Ending::interrupted;
    if (timed >= batches_) return Ending::batches;
    if (timed == 0) return std::nullopt;
    const std::span<const record::Sample> steps =
        recorder_.samples().last(static_cast<std::size_t>(timed));
    if (hooks_.precise_enough &&
        decided_by_clock(&Tally::precise, [&] { return hooks_.precise_enough(steps); })) {
      return Ending::precision;
    }
    if (trial_.max_time && decided_by_clock(&Tally::time_up, [&] {
          return steps.back().end - steps.front().begin >= *trial_.max_time;
        })) {
      return Ending::time;
    }
    return std::nullopt;
  }

  const spec::Trial& trial_;
  const Hooks& hooks_;
  Replica& replica_;
  comm::Transport& transport_;
  const bool in_step_;
  const bool together_;
  const std::int64_t batches_;
  record::Recorder recorder_;
  Tally wishes_, agreed_;
  std::vector<double> seconds_;  // of the warm-up's steps
  std::int64_t warm_up_steps_ = 0;
  double first_step_begin_ = 0;
};

}  // namespace

Outcome train(const spec::Trial& trial, const model::Model& model,
              std::unique_ptr<engine::Engine> engine, comm::Transport& transport, const Site& site,
              const Hooks& hooks) {
  Replica replica(trial, model, std::move(engine), transport, site);
  return Loop(trial, hooks, replica, transport, site.strategy->in_step,
              timed_batches(trial, model, replica.global_batch()))
      .run();
}

}  // namespace lockstep::train
