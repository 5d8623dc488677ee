#include "train/state.h"

#include <algorithm>

#include "base/check.h"
#include "base/text.h"
#include "comm/gathered.h"
#include "train/epochs.h"

namespace lockstep::train {
namespace {

std::int64_t examples_of(const spec::Trial& trial, const model::Model& model, const Feed& feed) {
  if (feed.source == nullptr) return examples_per_epoch(trial, model);
  const bool evaluates = trial.mode == spec::Mode::evaluation;
  const auto& records =
      feed.source->index().of(evaluates ? data::Split::validation : data::Split::train);
  return static_cast<std::int64_t>(records.size());
}

std::vector<std::int64_t> shape_of(const engine::Parameter& parameter) {
  return {parameter.plain.shape.begin(), parameter.plain.shape.end()};
}

const Checkpoint::Tensor& tensor(const Checkpoint& checkpoint, const std::string& name) {
  const Checkpoint::Tensor* found = checkpoint.find(name);
  LOCKSTEP_CHECK(found != nullptr);  // require_fit has looked
  return *found;
}

// The engine's parameters become the checkpoint's tensors of these names.
template <typename Name>
void set_tensors(engine::Engine& engine, const Checkpoint& checkpoint, const Name& name) {
  const auto parameters = engine.parameters();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    engine.set_parameter(static_cast<int>(i),
                         tensor(checkpoint, name(parameters[i].plain.name)).values);
  }
}

}  // namespace

Start agreed_start(const spec::Trial& trial, const model::Model& model, const Supplies& supplies,
                   comm::Transport& transport) {
  Start mine{.examples = examples_of(trial, model, supplies.feed)};
  if (supplies.checkpoint != nullptr) {
    mine.resumes = true;
    mine.step = supplies.checkpoint->step;
    mine.images = supplies.checkpoint->images;
    mine.squares = supplies.checkpoint->squares;
  }
  if (trial.data.dir.empty() && trial.checkpoints.dir.empty()) return mine;
  const Start first = comm::broadcast<Start>(transport, std::span(&mine, 1)).front();
  const auto refusal = [&](std::string_view what) {
    return Error(ExitCode::environment,
                 fmt::format("rank {} on {} {} than rank 0 on {}", transport.rank(),
                             transport.host_name(transport.rank()), what, transport.host_name(0)),
                 "all hosts need the same files");
  };
  if (supplies.feed.source != nullptr && mine.examples != first.examples) {
    throw refusal(
        fmt::format("has {} in {}, other", counted(mine.examples, "image"), trial.data.dir));
  }
  if (supplies.checkpoint != nullptr && mine.step != first.step) {
    throw refusal(
        fmt::format("has a checkpoint of step {} in {}, other", mine.step, trial.checkpoints.dir));
  }
  return first;
}

void set_parameters(engine::Engine& engine, const Checkpoint& checkpoint) {
  set_tensors(engine, checkpoint, [](const std::string& name) { return name; });
  const std::vector<float>& moving = tensor(checkpoint, std::string(kMovingStatistics)).values;
  const std::span<float> statistics = engine.moving_statistics();
  if (moving.size() != statistics.size()) {
    throw Error(ExitCode::usage,
                fmt::format("the checkpoint has {} moving averages, the network {}", moving.size(),
                            statistics.size()));
  }
  std::ranges::copy(moving, statistics.begin());
}

std::vector<Checkpoint::Tensor> gather_state(spec::OptimizerKind kind, Exchange& exchange,
                                             const Learner& learner, engine::Engine* engine) {
  std::vector<Checkpoint::Tensor> tensors;
  const auto add = [&](const auto& name, const auto& values) {
    if (engine == nullptr) return;
    const auto parameters = engine->parameters();
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      tensors.push_back(
          {name(parameters[i].plain.name), shape_of(parameters[i]), values(static_cast<int>(i))});
    }
  };
  add([](const std::string& name) { return name; }, [&](int i) { return engine->parameter(i); });
  const auto slots = slot_names(kind);
  for (std::size_t s = 0; s < slots.size(); ++s) {
    exchange.gather(learner.slot(s));
    // Gradients lie as parameters do, and so do slots: the engine reads these where those were.
    add([&](const std::string& name) { return slot_name(name, slots[s]); },
        [&](int i) { return engine->gradient(i); });
  }
  if (engine != nullptr) {
    const std::span<const float> moving = engine->moving_statistics();
    tensors.push_back({std::string(kMovingStatistics),
                       {static_cast<std::int64_t>(moving.size())},
                       {moving.begin(), moving.end()}});
  }
  return tensors;
}

void spread_state(spec::OptimizerKind kind, Exchange& exchange, const Learner& learner,
                  engine::Engine* engine, const Checkpoint* checkpoint) {
  const auto slots = slot_names(kind);
  for (std::size_t s = 0; s < slots.size(); ++s) {
    if (checkpoint != nullptr) {
      set_tensors(*engine, *checkpoint,
                  [&](const std::string& name) { return slot_name(name, slots[s]); });
    }
    exchange.broadcast_parameters();
    const std::span<float> slot = learner.slot(s);
    std::ranges::copy(exchange.parameters().first(slot.size()), slot.begin());
  }
  if (checkpoint != nullptr) set_parameters(*engine, *checkpoint);
  exchange.broadcast_parameters();
}

}  // namespace lockstep::train
