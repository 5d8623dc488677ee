#include "train/replica.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "base/error.h"
#include "spec/names.h"
#include "train/accuracy.h"
#include "train/checkpoint.h"

namespace lockstep::train {
namespace {

using record::Phase;

Error not_finite(float loss, std::uint64_t step, const std::string& layer) {
  // Not-a-number has no sign to speak of.
  std::string message = fmt::format("the loss is {} at step {} (from 0, warm-up included)",
                                    std::isnan(loss) ? std::abs(loss) : loss, step);
  if (!layer.empty()) message += fmt::format(": layer {} is the first that is not finite", layer);
  return {ExitCode::rank_failed, message,
          "lower --init_learning_rate, or limit gradients with --gradient_clip"};
}

// Everybody's, if it is rank 0's; servers, which have none, take that.
Layout agreed_layout(comm::Transport& transport, Layout mine) {
  const std::string text = to_text(mine);
  if (transport.broadcast(text) == text) return mine;
  throw Error(
      ExitCode::environment,
      fmt::format("rank {} on {} lays out the parameters otherwise than rank 0 on {}",
                  transport.rank(), transport.host_name(transport.rank()), transport.host_name(0)),
      "all hosts need the same kind of processor and the same libraries");
}

}  // namespace

Replica::Replica(const spec::Trial& trial, const model::Model& model,
                 std::unique_ptr<engine::Engine> engine, comm::Transport& transport,
                 const Site& site, const Supplies& supplies)
    : trial_(trial),
      rank_(transport.rank()),
      training_(trial.mode == spec::Mode::training),
      wants_accuracy_(!training_ || trial.print_training_accuracy),
      staged_(training_ && trial.exchange.staged_vars),
      weight_decay_(trial.optimizer.weight_decay.value_or(model.weight_decay)),
      layout_(agreed_layout(transport, layout_of(*engine))),
      start_(agreed_start(trial, model, supplies, transport)),
      exchange_(transport, site, layout_, trial.exchange, training_),
      stale_(staged_ ? layout_.floats * sizeof(float) : 0),
      engine_(std::move(engine)) {
  const std::span<float> parameters = exchange_.parameters().first(layout_.floats);
  engine_->bind(staged_ ? stale_.floats().first(layout_.floats) : parameters,
                exchange_.gradients().first(layout_.floats));
  engine::initialise(*engine_, trial.seed);
  if (staged_) {
    std::ranges::copy(stale_.floats().first(layout_.floats), parameters.begin());
    exchange_.stage(stale_.floats());
  }

  const data::Images images = images_of(engine_->images());
  const auto batch = static_cast<std::uint64_t>(images.n);
  first_sample_ = static_cast<std::uint64_t>(rank_) * batch;
  global_batch_ = std::int64_t{images.n} * site.ranks.workers();
  learner_.emplace(trial, model, layout_, global_batch_, start_.examples,
                   site.strategy->averages ? site.ranks.workers() : 1, exchange_.parameters());
  exchange_.connect(*learner_);
  if (start_.resumes && training_) {
    spread_state(trial.optimizer.kind, exchange_, *learner_, engine_.get(), supplies.checkpoint);
  } else {
    if (supplies.checkpoint != nullptr) set_parameters(*engine_, *supplies.checkpoint);
    if (site.ranks.servers > 0) exchange_.broadcast_parameters();
  }
  squares_ = start_.resumes ? start_.squares : learner_->squares({0, layout_.floats});

  // Made-up images stay the same; those of a dataset go on where the checkpoint's ended.
  data::Itinerary itinerary{.first = first_sample_,
                            .stride = static_cast<std::uint64_t>(global_batch_),
                            .batch = images.n};
  if (training_ && supplies.feed.source != nullptr) itinerary.first += start_.images;
  const bool evaluates = trial.mode == spec::Mode::evaluation;
  if (!evaluates) itinerary.shuffle_seed = trial.seed;
  input_.emplace(trial, supplies.feed, evaluates ? data::Split::validation : data::Split::train,
                 images, trial.num_classes > 0 ? trial.num_classes : model.classes, itinerary);
}

// An evaluation ends with the last image, not with the last batch.
std::int64_t Replica::images_that_count() const {
  const auto batch = static_cast<std::int64_t>(engine_->images().n);
  if (trial_.mode != spec::Mode::evaluation || !trial_.num_epochs) return batch;
  const auto all = std::llround(*trial_.num_epochs * static_cast<double>(start_.examples));
  const std::int64_t before = steps_ * global_batch_ + static_cast<std::int64_t>(first_sample_);
  return std::clamp<std::int64_t>(all - before, 0, batch);
}

Tally Replica::step(record::Recorder& recorder, const Tally& wishes) {
  const std::int64_t step = steps();
  recorder.begin();
  const engine::Batch batch{.labels = input_->next(),
                            .step = static_cast<std::uint64_t>(step),
                            .first_sample = first_sample_};
  recorder.end(Phase::input);

  // Staged parameters are here for long.
  const float loss = engine_->forward(
      batch, staged_ ? engine::Need() : [&](int i) { exchange_.need(i); });
  const auto counted = static_cast<std::size_t>(images_that_count());
  Hits share;
  if (wants_accuracy_ && counted > 0) {
    const std::span<const float> logits = engine_->logits();
    share = hits(logits.first(logits.size() / batch.labels.size() * counted),
                 batch.labels.first(counted));
  }
  if (!std::isfinite(loss)) throw not_finite(loss, batch.step, engine_->first_non_finite(batch));

  exchange_.land();
  if (training_ && steps_ > 0) squares_ = exchange_.executor().figure();
  exchange_.begin();
  exchange_.before_gradients();
  end(recorder, Phase::forward);
  if (training_) {
    learner_->begin_step(step);
    engine_->backward([&](int i) { exchange_.completed(i); });
  }
  Tally mine = wishes;
  mine.ranks = 1;
  mine.loss = loss;
  mine.images = static_cast<float>(counted);
  mine.top_1 = static_cast<float>(share.top_1);
  mine.top_5 = static_cast<float>(share.top_5);
  const Tally sums = exchange_.finish(mine);
  end(recorder, training_ ? Phase::backward : Phase::forward);

  const float base_loss = sums.loss / sums.ranks;
  const double total = double{base_loss} + weight_decay_ * squares_ / 2;
  const float images = std::max(1.0F, sums.images);
  recorder.finish(static_cast<float>(total), base_loss, sums.top_1 / images, sums.top_5 / images);
  ++steps_;
  return sums;
}

void Replica::land() {
  exchange_.land();
  exchange_.take_times();  // not spent in any step
}

void Replica::save() {
  Checkpoint checkpoint;
  checkpoint.tensors = gather_state(trial_.optimizer.kind, exchange_, *learner_,
                                    rank_ == 0 ? engine_.get() : nullptr);
  if (rank_ != 0) return;
  checkpoint.model = trial_.model;
  checkpoint.dataset = trial_.dataset;
  checkpoint.optimizer = spec::name(trial_.optimizer.kind);
  checkpoint.seed = trial_.seed;
  checkpoint.step = steps();
  checkpoint.images = start_.images + static_cast<std::uint64_t>(steps_ * global_batch_);
  checkpoint.squares = steps_ > 0 ? exchange_.executor().figure() : squares_;
  write_checkpoint(trial_.checkpoints.dir, checkpoint, trial_.checkpoints.keep);
}

// Exchange and update happen between layers and behind them: what they took is known and taken off.
void Replica::end(record::Recorder& recorder, Phase phase) {
  recorder.end(phase);
  const comm::ExchangeTimes times = exchange_.take_times();
  recorder.move(phase, Phase::exchange, times.moving + times.waiting);
  recorder.move(phase, Phase::update, times.updating);
  recorder.exchanged(times.waiting, times.wire);
}

}  // namespace lockstep::train
