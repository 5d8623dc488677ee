// The reference's gradients against central differences of its loss.

#include <gtest/gtest.h>

#include <cmath>

#include "base/rng.h"
#include "tests/reference/cases.h"

namespace lockstep::reference {
namespace {

constexpr int kDirections = 3;
constexpr double kStep = 1e-6;
constexpr double kTolerance = 1e-6;  // of the gradient's length

Values random_direction(std::size_t size, std::uint64_t seed) {
  const Rng rng(seed);
  Values direction(size);
  double squares = 0;
  for (std::size_t i = 0; i < size; ++i) {
    direction[i] = rng.normal(i);
    squares += direction[i] * direction[i];
  }
  for (double& d : direction) d /= std::sqrt(squares);
  return direction;
}

double dot(const Values& a, const Values& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

double length(const Values& a) {
  return std::sqrt(dot(a, a));
}

// The slope of loss() as `values` move along a direction, against what the gradient predicts.
template <typename Loss>
void expect_slopes(Values& values, const Values& gradient, double typical, Loss loss) {
  const Values start = values;
  for (int seed = 0; seed < kDirections; ++seed) {
    const Values direction = random_direction(values.size(), static_cast<std::uint64_t>(seed));
    const auto loss_at = [&](double distance) {
      for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = start[i] + distance * direction[i];
      }
      return loss();
    };
    const double slope = (loss_at(kStep) - loss_at(-kStep)) / (2 * kStep);
    EXPECT_NEAR(slope, dot(gradient, direction), kTolerance * (length(gradient) + typical));
    values = start;
  }
}

class ReferenceGradients : public testing::TestWithParam<Case> {};

TEST_P(ReferenceGradients, AreTheSlopesOfTheLoss) {
  const Problem problem = draw(GetParam());
  Network net = network(problem);
  Batch batch = problem.batch;
  const auto loss = [&] { return net.forward(batch); };
  loss();
  const NetworkGradients gradients = net.backward();

  // Some gradients are zero by nature, such as that of a bias in front of batch norm.
  double typical = 0;
  for (const Values& g : gradients.parameters) typical = std::max(typical, 1e-2 * length(g));
  ASSERT_GT(typical, 0);

  const std::vector<model::Parameter> described = model::parameters(problem.graph);
  for (std::size_t i = 0; i < described.size(); ++i) {
    SCOPED_TRACE(described[i].name);
    expect_slopes(net.parameters()[i], gradients.parameters[i], typical, loss);
  }
  SCOPED_TRACE("images");
  expect_slopes(batch.images.values, gradients.outputs.front().values, typical, loss);
}

INSTANTIATE_TEST_SUITE_P(Cases, ReferenceGradients, testing::ValuesIn(cases()),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace lockstep::reference
