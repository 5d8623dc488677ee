#pragma once

#include <memory>
#include <vector>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/rng.h"
#include "engine/engine.h"

namespace lockstep::bench {

// An engine with memory, weights and images, ready to run.
class BoundEngine {
 public:
  BoundEngine(const model::Graph& graph, const engine::Options& options)
      : engine_(engine::compile(graph, options)),
        parameters_(engine_->parameter_floats() * sizeof(float)),
        gradients_(engine_->parameter_floats() * sizeof(float)) {
    engine_->bind(parameters_.floats(), gradients_.floats());
    engine::initialise(*engine_, 1);
    const Rng rng(2);
    std::uint64_t i = 0;
    for (float& x : engine_->images().data) x = 2 * rng.uniform(i++) - 1;
    for (int n = 0; n < options.batch; ++n) labels_.push_back(n % graph.classes());
  }

  const engine::PlanSummary& plan() const { return engine_->plan(); }

  // Forward and backward.
  double seconds_of_step() {
    const double start = now();
    engine_->forward({labels_, 0, 0});
    engine_->backward({});
    return now() - start;
  }

  // One operation alone, with cold caches.
  double seconds_of(std::size_t operation) {
    evict();
    return seconds_in_turn(operation);
  }

  // One operation alone, with what those before it have left in the caches.
  double seconds_in_turn(std::size_t operation) {
    const double start = now();
    engine_->run_planned(operation, {labels_, 0, 0});
    return now() - start;
  }

 private:
  static void evict() {
    static const Buffer buffer(std::size_t{96} << 20);
    const auto floats = buffer.floats();
#pragma omp parallel for schedule(static)
    for (std::size_t i = 0; i < floats.size(); i += 16) floats[i] += 1;
  }

  std::unique_ptr<engine::Engine> engine_;
  Buffer parameters_, gradients_;
  std::vector<int> labels_;
};

}  // namespace lockstep::bench
