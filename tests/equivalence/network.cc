#include "tests/equivalence/network.h"

#include <algorithm>

namespace lockstep::equivalence {

Network::Network(const spec::Trial& trial, int rank)
    : seed_(trial.seed),
      engine_(compile(trial)),
      parameters_(engine_->parameter_floats() * sizeof(float)),
      gradients_(engine_->parameter_floats() * sizeof(float)) {
  engine_->bind(parameters_.floats(), gradients_.floats());
  shard_ = fill(*engine_, trial, static_cast<std::uint64_t>(rank * trial.batch_size));
}

void Network::start() {
  std::ranges::fill(parameters_.floats(), 0.0F);
  std::ranges::fill(gradients_.floats(), 0.0F);
  engine::initialise(*engine_, seed_);
}

float Network::run(std::uint64_t step) {
  const float loss = engine_->forward(shard_.batch(step));
  engine_->backward({});
  return loss;
}

}  // namespace lockstep::equivalence
