#include "train/replica.h"

#include <cmath>
#include <string>
#include <utility>

#include "base/error.h"
#include "data/synthetic.h"
#include "train/accuracy.h"
#include "train/epochs.h"

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

}  // namespace

Replica::Replica(const spec::Trial& trial, const model::Model& model,
                 std::unique_ptr<engine::Engine> engine)
    : parameters_(engine->parameter_floats() * sizeof(float)),
      gradients_(engine->parameter_floats() * sizeof(float)),
      engine_(std::move(engine)),
      wants_accuracy_(trial.mode != spec::Mode::training || trial.print_training_accuracy),
      weight_decay_(trial.optimizer.weight_decay.value_or(model.weight_decay)) {
  engine_->bind(parameters_.floats(), gradients_.floats());
  engine::initialise(*engine_, trial.seed);

  const data::Images images = images_of(engine_->images());
  data::fill_images(images, trial.seed, 0);
  labels_.resize(static_cast<std::size_t>(images.n));
  const int classes = trial.num_classes > 0 ? trial.num_classes : model.classes;
  data::fill_labels(labels_, classes, trial.seed, 0);
  global_batch_ = std::int64_t{images.n} * trial.devices;

  if (trial.mode == spec::Mode::training) {
    spec::Optimizer rule = trial.optimizer;
    rule.weight_decay = weight_decay_;
    training_ = Training{
        .learning_rate{trial.learning_rate, model.learning_rate(), global_batch_,
                       examples_per_epoch(trial, model)},
        .optimizer{rule, parameters_.floats(), gradients_.floats()},
    };
    return;
  }
  for (const engine::Parameter& p : engine_->parameters()) {
    if (!p.plain.decays) continue;
    squares_ += sum_of_squares(parameters_.floats().subspan(p.offset, p.size));
  }
}

void Replica::step(record::Recorder& recorder) {
  const auto step = static_cast<std::int64_t>(recorder.samples().size());
  const engine::Batch batch{
      .labels = labels_, .step = static_cast<std::uint64_t>(step), .first_sample = 0};
  recorder.begin();
  recorder.end(Phase::input);  // the images are where the engine wants them

  const float loss = engine_->forward(batch);
  Accuracy share;
  if (wants_accuracy_) share = accuracy(engine_->logits(), labels_);
  recorder.end(Phase::forward);
  if (!std::isfinite(loss)) throw not_finite(loss, batch.step, engine_->first_non_finite(batch));

  if (training_) {
    engine_->backward([](int) {});  // one rank: no exchange to start as gradients become final
    recorder.end(Phase::backward);
    update(step);
    recorder.end(Phase::update);
  }
  const double total = double{loss} + weight_decay_ * squares_ / 2;
  recorder.finish(static_cast<float>(total), loss, share.top_1, share.top_5);
}

void Replica::update(std::int64_t step) {
  training_->optimizer.begin_step(training_->learning_rate.at(step));
  squares_ = 0;
  for (const engine::Parameter& p : engine_->parameters()) {
    squares_ += training_->optimizer.update(p.offset, p.size, p.plain.decays);
  }
}

}  // namespace lockstep::train
