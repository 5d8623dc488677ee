#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/engine.h"
#include "spec/trial.h"

namespace lockstep::equivalence {

// What is trained: a few steps of a model whose gradients travel in several buckets.
spec::Trial trial_of(const char* model, int batch);

model::Graph graph_of(const spec::Trial& trial);
std::unique_ptr<engine::Engine> compile(const spec::Trial& trial);
std::unique_ptr<engine::Engine> compile(const spec::Trial& trial, const model::Graph& graph);

// A batch of made-up images, which are the engine's, and their labels.
struct Shard {
  std::uint64_t first_sample = 0;
  std::vector<int> labels = {};

  engine::Batch batch(std::uint64_t step) const {
    return {.labels = labels, .step = step, .first_sample = first_sample};
  }
};
Shard fill(engine::Engine& engine, const spec::Trial& trial, std::uint64_t first_sample);

}  // namespace lockstep::equivalence
