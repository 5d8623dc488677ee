#include "train/learner.h"

#include <algorithm>

namespace lockstep::train {
namespace {

spec::Optimizer rule(const spec::Trial& trial, const model::Model& model) {
  spec::Optimizer rule = trial.optimizer;
  if (!rule.weight_decay) rule.weight_decay = model.weight_decay;
  return rule;
}

}  // namespace

Learner::Learner(const spec::Trial& trial, const model::Model& model, const Layout& layout,
                 std::int64_t global_batch, std::int64_t examples_per_epoch, int gradients_of,
                 std::span<float> parameters)
    : layout_(layout),
      parameters_(parameters),
      learning_rate_(trial.learning_rate, model.learning_rate(), global_batch, examples_per_epoch),
      optimizer_(rule(trial, model), parameters.first(layout.floats), 1.0 / gradients_of),
      late_(trial.exchange.variable_consistency == spec::VariableConsistency::relaxed
                ? layout.floats * sizeof(float)
                : 0) {}

void Learner::begin_step(std::int64_t step) {
  optimizer_.begin_step(step, learning_rate_.at(step));
}

template <typename Visit>
double Learner::each_segment(comm::Range range, const Visit& visit) const {
  double sum = 0;
  auto segment =
      std::ranges::upper_bound(layout_.segments, range.begin, {},
                               [](const Layout::Segment& s) { return s.offset + s.size; });
  for (; segment != layout_.segments.end() && segment->offset < range.end; ++segment) {
    sum += visit(comm::Range{std::max(range.begin, segment->offset),
                             std::min(range.end, segment->offset + segment->size)},
                 segment->decays);
  }
  return sum;
}

double Learner::squares(comm::Range range) {
  return received(range, &parameters_[range.begin]);
}

double Learner::update(comm::Range range, const float* sums) {
  if (range.begin >= layout_.floats) {
    std::copy_n(sums, range.size(), &parameters_[range.begin]);
    return 0;
  }
  return each_segment(range, [&](comm::Range part, bool decays) {
    const std::span<const float> fresh(sums + (part.begin - range.begin), part.size());
    if (late_.size() == 0) return optimizer_.update(part.begin, fresh, decays);
    const std::span<float> late = late_.floats().subspan(part.begin, part.size());
    const double squares = optimizer_.update(part.begin, late, decays);
    std::ranges::copy(fresh, late.begin());
    return squares;
  });
}

double Learner::received(comm::Range range, const float* values) {
  return each_segment(range, [&](comm::Range part, bool decays) {
    return decays ? sum_of_squares({values + (part.begin - range.begin), part.size()}) : 0;
  });
}

}  // namespace lockstep::train
