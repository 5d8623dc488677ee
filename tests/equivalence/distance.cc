#include "tests/equivalence/distance.h"

#include <cmath>

#include "base/buffer.h"

namespace lockstep::equivalence {
namespace {

// Euclidean, over all parameters.
double distance(const std::vector<std::vector<float>>& a,
                const std::vector<std::vector<float>>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < a[i].size(); ++j) sum += std::pow(double{a[i][j]} - b[i][j], 2);
  }
  return std::sqrt(sum);
}

}  // namespace

std::vector<std::vector<float>> initial_parameters(const spec::Trial& trial) {
  const std::unique_ptr<engine::Engine> engine = compile(trial);
  const Buffer parameters(engine->parameter_floats() * sizeof(float));
  const Buffer gradients(engine->parameter_floats() * sizeof(float));
  engine->bind(parameters.floats(), gradients.floats());
  engine::initialise(*engine, trial.seed);
  return plain_parameters(*engine);
}

double relative_distance(const std::vector<std::vector<float>>& start, const Trained& one,
                         const Trained& other) {
  return distance(one.parameters, other.parameters) / distance(other.parameters, start);
}

}  // namespace lockstep::equivalence
