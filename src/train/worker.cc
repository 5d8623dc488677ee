#include "train/worker.h"

#include <algorithm>
#include <chrono>
#include <future>
#include <utility>

#include "base/clock.h"
#include "comm/gathered.h"
#include "record/recorder.h"
#include "train/epochs.h"
#include "train/milestones.h"
#include "train/replica.h"

namespace lockstep::train {
namespace {

constexpr std::size_t kDefaultWarmUp = 10;

// One rank's steps and the decisions between them.
class Loop {
 public:
  Loop(const spec::Trial& trial, const Hooks& hooks, Replica& replica, comm::Transport& transport,
       const Site& site, std::int64_t batches, std::optional<Evaluator>& evaluator)
      : trial_(trial),
        hooks_(hooks),
        replica_(replica),
        evaluator_(evaluator),
        milestones_(trial, replica.start().examples, replica.global_batch()),
        transport_(transport),
        in_step_(site.strategy->in_step),
        together_(in_step_ && transport.world() > 1),
        awaited_(site.quorum > 1),
        batches_(batches),
        recorder_(static_cast<std::size_t>(recorded_steps(batches))) {}

  Outcome run() {
    std::optional<Outcome> outcome;
    try {
      warm_up();
      meet([&] { warm_up_step(); });
      const Ending ending = time_steps();
      replica_.land();
      last_intermission();
      outcome = measured(ending);
      part();
    } catch (const Error& error) {
      transport_.fail(error);
      if (!outcome) outcome = measured(Ending::error);
      outcome->ending = Ending::error;
      outcome->error = error;
    }
    return *std::move(outcome);
  }

 private:
  Outcome measured(Ending ending) {
    const std::span<const record::Sample> samples = recorder_.samples();
    return {.samples = {samples.begin(), samples.end()},
            .warm_up_steps = warm_up_steps_,
            .first_step_begin = first_step_begin_,
            .ending = ending,
            .error = {},
            .bytes_sent = replica_.exchange().executor().bytes_sent(),
            .bytes_received = replica_.exchange().executor().bytes_received(),
            .flight = replica_.exchange().flight(),
            .input = input_,
            .evaluations = std::move(evaluations_)};
  }

  // Ranks that do not wait for each other in their steps start timing at once, and end together.
  // One whose gradients others may wait for goes on until all have come.
  template <typename Step>
  void meet(const Step& go_on) {
    if (in_step_) return;
    if (!awaited_) {
      transport_.barrier();
      return;
    }
    std::future<void> all = std::async(std::launch::async, [&] { transport_.barrier(); });
    try {
      while (all.wait_for(std::chrono::seconds(0)) != std::future_status::ready) go_on();
    } catch (const Error& error) {
      transport_.fail(error);  // lest the gathering wait for ever
      throw;
    } catch (const std::exception& error) {
      transport_.fail({ExitCode::rank_failed, error.what()});
      throw;
    }
    all.get();
  }
  void part() {
    if (in_step_) return;
    meet([&] { step(); });
    replica_.land();
    transport_.barrier();
  }

  void warm_up() {
    if (hooks_.on_warm_up_start) hooks_.on_warm_up_start();
    while (!interrupted() && !accurate_ && !warmed_up()) warm_up_step();
  }
  void warm_up_step() {
    step();
    ++warm_up_steps_;
    const record::Sample& sample = recorder_.samples().back();
    seconds_.push_back(sample.end - sample.begin);
    announce(0);
  }

  Ending time_steps() {
    if (!interrupted() && hooks_.on_timed_start) hooks_.on_timed_start();
    replica_.land();
    replica_.restart_flights();
    replica_.take_input_times();
    for (std::int64_t timed = 0;; announce(timed)) {
      if (const std::optional<Ending> ending = this->ending(timed)) {
        input_ = replica_.take_input_times();
        return *ending;
      }
      wishes_.last = timed + 1 == batches_ ? 1 : 0;
      step();
      ++timed;
    }
  }

  void step() {
    if (recorder_.samples().empty()) first_step_begin_ = now();
    transport_.at_step(static_cast<std::int64_t>(recorder_.samples().size()));
    if (transport_.rank() == 0) plan_intermission();
    agreed_ = replica_.step(recorder_, wishes_);
  }

  void announce(std::int64_t timed_step) {
    if (hooks_.on_step) hooks_.on_step(recorder_.samples().back(), timed_step);
    if (agreed_.save > 0) save();
    if (agreed_.evaluate > 0) evaluate(false);
  }

  // --- Between two steps ---

  // One clock decides for all, before the step behind which it is.
  void plan_intermission() {
    const std::int64_t step = replica_.steps() + 1;
    wishes_.save = milestones_.saves_behind(step, now() - saved_at_) ? 1 : 0;
    wishes_.evaluate = milestones_.evaluates_behind(step) ? 1 : 0;
  }
  void last_intermission() {
    if (recorder_.samples().empty()) return;
    if (milestones_.saves() && agreed_.save == 0) save();
    if (milestones_.evaluates() && agreed_.evaluate == 0) evaluate(true);
  }

  // What is no part of any step, nor of what is measured.
  template <typename Work>
  void aside(const Work& work) {
    const double begin = now();
    replica_.land();
    work();
    recorder_.leave_out(now() - begin);
  }

  void save() {
    aside([&] {
      replica_.save();
      transport_.barrier();  // nobody's step waits for the disk
    });
    saved_at_ = now();
  }

  void evaluate(bool last) {
    if (hooks_.on_evaluation_start) hooks_.on_evaluation_start(replica_.steps(), last);
    Evaluated evaluated{.step = replica_.steps()};
    aside([&] {
      // Every rank has averages of its own: rank 0's count, as in its checkpoints.
      const std::vector<float> moving =
          comm::broadcast<float>(transport_, replica_.engine().moving_statistics());
      evaluated.score = sum_of_scores(transport_, evaluator_->run(replica_.engine(), moving));
    });
    evaluated.seconds = now() - first_step_begin_;
    evaluated.training_seconds = recorder_.samples().back().end;
    evaluated.reached = reaches_accuracy(trial_, evaluated.score);
    accurate_ = evaluated.reached;
    evaluations_.push_back(evaluated);
    if (hooks_.on_evaluated) hooks_.on_evaluated(evaluated, last);
  }

  // --- Decisions ---

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
    if (accurate_) return Ending::accuracy;
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
  std::optional<Evaluator>& evaluator_;
  const Milestones milestones_;
  comm::Transport& transport_;
  const bool in_step_;
  const bool together_;
  const bool awaited_;
  const std::int64_t batches_;
  record::Recorder recorder_;
  Tally wishes_, agreed_;
  std::vector<double> seconds_;  // of the warm-up's steps
  std::int64_t warm_up_steps_ = 0;
  double first_step_begin_ = 0;
  double saved_at_ = now();
  bool accurate_ = false;
  data::InputTimes input_;
  std::vector<Evaluated> evaluations_;
};

}  // namespace

std::int64_t recorded_steps(std::int64_t batches) {
  return std::min<std::int64_t>(batches + 100, 1 << 16);
}

Outcome train(const spec::Trial& trial, const model::Model& model,
              std::unique_ptr<engine::Engine> engine, comm::Transport& transport, const Site& site,
              const Hooks& hooks, Supplies supplies) {
  Replica replica(trial, model, std::move(engine), transport, site, supplies);
  std::optional<Evaluator> evaluator;
  if (supplies.evaluator) {
    evaluator.emplace(trial, std::move(supplies.evaluator), supplies.feed, transport.rank(),
                      site.ranks.workers(),
                      trial.num_classes > 0 ? trial.num_classes : model.classes);
  }
  return Loop(trial, hooks, replica, transport, site,
              timed_batches(trial, replica.start().examples, replica.global_batch()), evaluator)
      .run();
}

}  // namespace lockstep::train
