#pragma once

#include <memory>
#include <span>

#include "base/buffer.h"
#include "tests/equivalence/subject.h"

namespace lockstep::equivalence {

// What a rank computes gradients with, outside of any exchange. Compiled once, started afresh for
// every run.
class Network {
 public:
  Network(const spec::Trial& trial, int rank);

  void start();                   // from the first parameters again
  float run(std::uint64_t step);  // forward and backward; returns the loss

  std::span<const engine::Parameter> layout() const { return engine_->parameters(); }
  std::span<float> parameters() const { return parameters_.floats().first(floats()); }
  std::span<float> gradients() const { return gradients_.floats().first(floats()); }

 private:
  std::size_t floats() const { return engine_->parameter_floats(); }

  const std::uint64_t seed_;
  const std::unique_ptr<engine::Engine> engine_;
  const Buffer parameters_, gradients_;
  Shard shard_;
};

}  // namespace lockstep::equivalence
