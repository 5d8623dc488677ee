#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/error.h"
#include "spec/names.h"
#include "train/checkpoint.h"
#include "train/optimizer.h"

namespace lockstep::train {

void require_fit(const Checkpoint& checkpoint, const std::filesystem::path& file,
                 const spec::Trial& trial, const model::Graph& graph) {
  const auto refusal = [&](const std::string& what) {
    return Error(ExitCode::usage, fmt::format("{}: {}", file.string(), what),
                 "give the flags that the network was trained with, or another --train_dir");
  };
  if (checkpoint.model != trial.model || checkpoint.dataset != trial.dataset) {
    throw refusal(fmt::format("a checkpoint of {} for {}, not of {} for {}", checkpoint.model,
                              checkpoint.dataset, trial.model, trial.dataset));
  }
  const auto require_tensor = [&](const std::string& name, const std::vector<int>& shape) {
    const Checkpoint::Tensor* tensor = checkpoint.find(name);
    if (tensor == nullptr) throw refusal(fmt::format("{} is missing", name));
    if (!std::ranges::equal(tensor->shape, shape)) {
      throw refusal(fmt::format("{} has the shape [{}], the network's has [{}]", name,
                                fmt::join(tensor->shape, ", "), fmt::join(shape, ", ")));
    }
  };
  const bool training = trial.mode == spec::Mode::training;
  if (training && checkpoint.optimizer != spec::name(trial.optimizer.kind)) {
    throw refusal(fmt::format("trained with --optimizer={}, not {}", checkpoint.optimizer,
                              spec::name(trial.optimizer.kind)));
  }
  for (const model::Parameter& parameter : model::parameters(graph)) {
    require_tensor(parameter.name, parameter.shape);
    if (!training) continue;
    for (const std::string_view slot : slot_names(trial.optimizer.kind)) {
      require_tensor(slot_name(parameter.name, slot), parameter.shape);
    }
  }
  if (checkpoint.find(kMovingStatistics) == nullptr) {
    throw refusal(fmt::format("{} is missing", kMovingStatistics));
  }
}

}  // namespace lockstep::train
