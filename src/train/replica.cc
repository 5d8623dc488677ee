#include "train/replica.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "base/error.h"
#include "data/synthetic.h"
#include "train/accuracy.h"

namespace lockstep::train {
namespace {

using record::Phase;

data::Images images_of(const engine::ImageBuffer& buffer) {
  return {.first = buffer.data.data() + buffer.offset,
          .n = buffer.n,
          .c = buffer.c,
          .h = buffer.h,
          .w = buffer.w,
          .stride_n = buffer.stride_n,
          .stride_c = buffer.stride_c,
          .stride_h = buffer.stride_h,
          .stride_w = buffer.stride_w};
}

Error not_finite(float loss, std::uint64_t step, const std::string& layer) {
  // Not-a-number has no sign to speak of.
  std::string message = fmt::format("the loss is {} at step {} (from 0, warm-up included)",
                                    std::isnan(loss) ? std::abs(loss) : loss, step);
  if (!layer.empty()) message += fmt::format(": layer {} is the first that is not finite", layer);
  return {ExitCode::rank_failed, message,
          "lower --init_learning_rate, or limit gradients with --gradient_clip"};
}

// Everybody's, if it is the same.
Layout agreed_layout(comm::Transport& transport, Layout mine) {
  const std::vector<std::string> all = transport.all_gather(to_text(mine));
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    if (all[rank].empty() || all[rank] == all.front()) continue;  // a server takes the workers'
    throw Error(
        ExitCode::environment,
        fmt::format("rank {} on {} lays out the parameters otherwise than rank 0 on {}", rank,
                    transport.host_name(static_cast<int>(rank)), transport.host_name(0)),
        "all hosts need the same kind of processor and the same oneDNN");
  }
  return mine;
}

}  // namespace

Replica::Replica(const spec::Trial& trial, const model::Model& model,
                 std::unique_ptr<engine::Engine> engine, comm::Transport& transport,
                 const Site& site)
    : training_(trial.mode == spec::Mode::training),
      wants_accuracy_(!training_ || trial.print_training_accuracy),
      staged_(training_ && trial.exchange.staged_vars),
      weight_decay_(trial.optimizer.weight_decay.value_or(model.weight_decay)),
      layout_(agreed_layout(transport, layout_of(*engine))),
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
  first_sample_ =
      static_cast<std::uint64_t>(transport.rank()) * static_cast<std::uint64_t>(images.n);
  data::fill_images(images, trial.seed, first_sample_);
  labels_.resize(static_cast<std::size_t>(images.n));
  const int classes = trial.num_classes > 0 ? trial.num_classes : model.classes;
  data::fill_labels(labels_, classes, trial.seed, first_sample_);

  global_batch_ = std::int64_t{images.n} * site.ranks.workers();
  learner_.emplace(trial, model, layout_, global_batch_,
                   site.strategy->averages ? site.ranks.workers() : 1, exchange_.parameters());
  squares_ = learner_->squares({0, layout_.floats});
  exchange_.connect(*learner_);
  if (site.ranks.servers > 0) exchange_.broadcast_parameters();
}

Tally Replica::step(record::Recorder& recorder, const Tally& wishes) {
  const auto step = static_cast<std::int64_t>(recorder.samples().size());
  const engine::Batch batch{
      .labels = labels_, .step = static_cast<std::uint64_t>(step), .first_sample = first_sample_};
  recorder.begin();
  recorder.end(Phase::input);  // the images are where the engine wants them

  // Staged parameters are here for long.
  const float loss = engine_->forward(
      batch, staged_ ? engine::Need() : [&](int i) { exchange_.need(i); });
  Accuracy share;
  if (wants_accuracy_) share = accuracy(engine_->logits(), labels_);
  if (!std::isfinite(loss)) throw not_finite(loss, batch.step, engine_->first_non_finite(batch));

  exchange_.land();
  if (training_ && step > 0) squares_ = exchange_.executor().figure();
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
  mine.top_1 = share.top_1;
  mine.top_5 = share.top_5;
  const Tally sums = exchange_.finish(mine);
  end(recorder, training_ ? Phase::backward : Phase::forward);

  const float base_loss = sums.loss / sums.ranks;
  const double total = double{base_loss} + weight_decay_ * squares_ / 2;
  recorder.finish(static_cast<float>(total), base_loss, sums.top_1 / sums.ranks,
                  sums.top_5 / sums.ranks);
  return sums;
}

void Replica::land() {
  exchange_.land();
  exchange_.take_times();  // not spent in any step
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
