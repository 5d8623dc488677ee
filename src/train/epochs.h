#pragma once

#include <cstdint>

#include "model/zoo.h"
#include "spec/trial.h"

namespace lockstep::train {

// Of made-up images: as many as the dataset that the trial names has, or else the model's own.
std::int64_t examples_per_epoch(const spec::Trial& trial, const model::Model& model);

// How many steps are timed, unless something ends them earlier: what --num_epochs comes to, or else
// --num_batches.
std::int64_t timed_batches(const spec::Trial& trial, std::int64_t examples_per_epoch,
                           std::int64_t global_batch);

}  // namespace lockstep::train
