#include "train/evaluator.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/check.h"
#include "comm/gathered.h"

namespace lockstep::train {

bool reaches_accuracy(const spec::Trial& trial, const Score& score) {
  return trial.evaluation.stop_at_top_1 && score.top_1() >= *trial.evaluation.stop_at_top_1;
}

Score sum_of_scores(comm::Transport& transport, const Score& mine) {
  return comm::combined(transport, mine, [](const Score& a, const Score& b) {
    return Score{.images = a.images + b.images,
                 .hits = {a.hits.top_1 + b.hits.top_1, a.hits.top_5 + b.hits.top_5}};
  });
}

Evaluator::Evaluator(const spec::Trial& trial, std::unique_ptr<engine::Engine> engine,
                     const Feed& feed, int rank, int ranks, int outputs)
    : trial_(trial),
      feed_(feed),
      rank_(rank),
      ranks_(ranks),
      outputs_(outputs),
      parameters_(engine->parameter_floats() * sizeof(float)),
      gradients_(engine->parameter_floats() * sizeof(float)),
      engine_(std::move(engine)) {
  engine_->bind(parameters_.floats().first(engine_->parameter_floats()),
                gradients_.floats().first(engine_->parameter_floats()));
}

Score Evaluator::run(const engine::Engine& trained, std::span<const float> moving) {
  // Each has its own order of parameters and of the elements within.
  std::map<std::string, int> by_name;
  for (const engine::Parameter& parameter : trained.parameters()) {
    by_name.emplace(parameter.plain.name, static_cast<int>(by_name.size()));
  }
  const auto parameters = engine_->parameters();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    engine_->set_parameter(static_cast<int>(i),
                           trained.parameter(by_name.at(parameters[i].plain.name)));
  }
  LOCKSTEP_CHECK(moving.size() == engine_->moving_statistics().size());
  std::ranges::copy(moving, engine_->moving_statistics().begin());

  const data::Images images = images_of(engine_->images());
  const std::int64_t batch = images.n, stride = batch * ranks_;
  const auto all =
      static_cast<std::int64_t>(feed_.source->index().of(data::Split::validation).size());
  Input input(trial_, feed_, data::Split::validation, images, outputs_,
              {.first = static_cast<std::uint64_t>(rank_ * batch),
               .stride = static_cast<std::uint64_t>(stride),
               .batch = images.n});
  Score score;
  for (std::int64_t first = rank_ * batch; first < all; first += stride) {
    const std::span<const int> labels = input.next();
    engine_->forward({.labels = labels});
    const auto counted = static_cast<std::size_t>(std::min(batch, all - first));
    const std::span<const float> logits = engine_->logits();
    const Hits hits =
        train::hits(logits.first(logits.size() / labels.size() * counted), labels.first(counted));
    score.images += static_cast<std::int64_t>(counted);
    score.hits.top_1 += hits.top_1;
    score.hits.top_5 += hits.top_5;
  }
  return score;
}

}  // namespace lockstep::train
