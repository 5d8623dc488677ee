#pragma once

#include <algorithm>
#include <deque>
#include <span>
#include <vector>

#include "tests/equivalence/network.h"

namespace lockstep::equivalence {

// The batches of all workers, one network for each: gradients at whatever parameters are asked for.
class Batches {
 public:
  Batches(const spec::Trial& trial, int workers) {
    for (int rank = 0; rank < workers; ++rank) networks_.emplace_back(trial, rank);
  }

  std::vector<float> first_parameters() {
    networks_.front().start();
    const std::span<const float> parameters = networks_.front().parameters();
    return {parameters.begin(), parameters.end()};
  }
  std::span<const engine::Parameter> layout() const { return networks_.front().layout(); }

  // A worker's loss; its gradients are there until the next call.
  float run(int worker, std::span<const float> parameters, std::uint64_t step) {
    Network& network = networks_[static_cast<std::size_t>(worker)];
    std::ranges::copy(parameters, network.parameters().begin());
    return network.run(step);
  }
  std::span<const float> gradients(int worker) const {
    return networks_[static_cast<std::size_t>(worker)].gradients();
  }

 private:
  std::deque<Network> networks_;
};

}  // namespace lockstep::equivalence
