#include "train/epochs.h"

#include "data/dataset.h"

namespace lockstep::train {

std::int64_t examples_per_epoch(const spec::Trial& trial, const model::Model& model) {
  return data::examples_per_epoch(trial.dataset.empty() ? model.dataset : trial.dataset);
}

std::int64_t timed_batches(const spec::Trial& trial, std::int64_t examples_per_epoch,
                           std::int64_t global_batch) {
  if (!trial.num_epochs) return trial.num_batches;
  return data::batches(*trial.num_epochs, examples_per_epoch, global_batch);
}

}  // namespace lockstep::train
