#include "train/milestones.h"

#include <algorithm>
#include <cmath>

#include "spec/numbers.h"

namespace lockstep::train {

Milestones::Milestones(const spec::Trial& trial, std::int64_t examples_per_epoch,
                       std::int64_t global_batch)
    : checkpoints_(trial.checkpoints),
      saves_(trial.mode == spec::Mode::training && !trial.checkpoints.dir.empty()),
      evaluates_(trial.mode == spec::Mode::training && !trial.data.dir.empty() &&
                 trial.evaluation.during_training()) {
  const double epoch = static_cast<double>(examples_per_epoch) / static_cast<double>(global_batch);
  const spec::Evaluation& evaluation = trial.evaluation;
  every_steps_ =
      evaluation.every_steps > 0 ? evaluation.every_steps : evaluation.every_epochs * epoch;
  // The step that ends an epoch may begin the next one.
  const auto add = [&](double steps) { at_.push_back(std::llround(std::ceil(steps))); };
  for (const double step : spec::parse_numbers(evaluation.at_steps)) add(step);
  for (const double epochs : spec::parse_numbers(evaluation.at_epochs)) add(epochs * epoch);
}

bool Milestones::saves_behind(std::int64_t step, double seconds) const {
  if (!saves_) return false;
  return (checkpoints_.save_steps > 0 && step % checkpoints_.save_steps == 0) ||
         (checkpoints_.save_secs > 0 && seconds >= checkpoints_.save_secs);
}

bool Milestones::evaluates_behind(std::int64_t step) const {
  if (!evaluates_) return false;
  if (std::ranges::count(at_, step) > 0) return true;
  if (every_steps_ == 0) return false;
  const auto passed = [&](std::int64_t steps) {
    return std::floor(static_cast<double>(steps) / every_steps_);
  };
  return passed(step) > passed(step - 1);
}

}  // namespace lockstep::train
