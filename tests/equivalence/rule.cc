#include "tests/equivalence/rule.h"

#include <algorithm>

#include "model/zoo.h"
#include "train/epochs.h"

namespace lockstep::equivalence {
namespace {

double weight_decay_of(const spec::Trial& trial) {
  return trial.optimizer.weight_decay.value_or(model::find(trial.model).weight_decay);
}

spec::Optimizer with_decay(spec::Optimizer options, double weight_decay) {
  options.weight_decay = weight_decay;
  return options;
}

}  // namespace

Rule::Rule(const spec::Trial& trial, std::span<const engine::Parameter> layout,
           std::span<float> parameters, int gradients_of, int batches)
    : weight_decay_(weight_decay_of(trial)),
      layout_(layout),
      parameters_(parameters),
      rate_(trial.learning_rate, model::find(trial.model).learning_rate(),
            std::int64_t{trial.batch_size} * batches,
            train::examples_per_epoch(trial, model::find(trial.model))),
      optimizer_(with_decay(trial.optimizer, weight_decay_), parameters, 1.0 / gradients_of) {}

void Rule::begin_step(std::int64_t step) {
  optimizer_.begin_step(step, rate_.at(step));
}

void Rule::update(const comm::Range& range, std::span<const float> sums) {
  for (const engine::Parameter& p : layout_) {
    const std::size_t begin = std::max(range.begin, p.offset);
    const std::size_t end = std::min(range.end, p.offset + p.size);
    if (begin >= end) continue;
    optimizer_.update(begin, sums.subspan(begin, end - begin), p.plain.decays);
  }
}

double Rule::penalty() const {
  double squares = 0;
  for (const engine::Parameter& p : layout_) {
    if (p.plain.decays) squares += train::sum_of_squares(parameters_.subspan(p.offset, p.size));
  }
  return weight_decay_ * squares / 2;
}

}  // namespace lockstep::equivalence
