// The engine against the reference: the same numbers, up to rounding in float.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/engine/bound_engine.h"
#include "tests/reference/cases.h"

namespace lockstep::engine {
namespace {

using reference::Case;
using reference::Network;
using reference::NetworkGradients;
using reference::Problem;
using reference::Values;

// Lengths of the error over lengths of the vector. One rounding in float is 6e-8; what a layer
// makes of it grows with the square root of its sums and with batch norm, which divides by a
// deviation that may be small. Wrong in one element of a thousand is 3e-2.
constexpr double kLossTolerance = 1e-5;
constexpr double kLogitsTolerance = 2e-5;
constexpr double kGradientTolerance = 1e-4;
constexpr double kStatisticsTolerance = 1e-5;

double length(const Values& values) {
  double squares = 0;
  for (const double v : values) squares += v * v;
  return std::sqrt(squares);
}

// The length of the error over that of the expected values; `scale` stands in for the latter where
// it is larger.
template <typename Actual>
double relative_error(const Actual& actual, const Values& expected, double scale = 0) {
  EXPECT_EQ(actual.size(), expected.size());
  Values error = expected;
  for (std::size_t i = 0; i < std::min(actual.size(), error.size()); ++i) error[i] -= actual[i];
  return length(error) / std::max(length(expected), scale);
}

// Some gradients are zero by nature, such as that of a bias in front of batch norm, and all that
// an engine shows of them is rounding: they are measured by the longest of the network.
double negligible_gradient(const NetworkGradients& gradients) {
  double longest = 0;
  for (const Values& g : gradients.parameters) longest = std::max(longest, length(g));
  return 1e-2 * longest;
}

void expect_agreement(const Problem& problem, const Variant& variant) {
  Network network = reference::network(problem);
  const double loss = network.forward(problem.batch);
  const NetworkGradients gradients = network.backward();

  BoundEngine engine(problem, variant);
  EXPECT_NEAR(engine.forward(), loss, kLossTolerance * loss);
  EXPECT_LE(relative_error(engine->logits(), network.logits().values), kLogitsTolerance);
  engine->backward([](int) {});
  for (int i = 0; i < engine.parameter_count(); ++i) {
    EXPECT_LE(relative_error(engine->gradient(i), gradients.parameters[engine.place_in_graph(i)],
                             negligible_gradient(gradients)),
              kGradientTolerance)
        << engine.name(i);
  }
}

// Per batch-norm layer means, then variances, as the engine has them.
Values flat(const std::vector<reference::Moments>& moving) {
  Values all;
  for (const reference::Moments& m : moving) {
    all.insert(all.end(), m.mean.begin(), m.mean.end());
    all.insert(all.end(), m.variance.begin(), m.variance.end());
  }
  return all;
}

class EngineAgreement : public testing::TestWithParam<std::tuple<Case, Variant>> {};

TEST_P(EngineAgreement, WithTheReferenceInLossLogitsAndGradients) {
  const auto& [c, variant] = GetParam();
  expect_agreement(reference::draw(c), variant);
}

TEST_P(EngineAgreement, WithTheReferenceInMovingStatisticsAfterTwoSteps) {
  const auto& [c, variant] = GetParam();
  Problem problem = reference::draw(c);
  Network network = reference::network(problem);
  BoundEngine engine(problem, variant);
  EXPECT_EQ(relative_error(engine->moving_statistics(), flat(network.moving()), 1), 0)
      << "before the first step";
  for (int step = 0; step < 2; ++step) {
    network.forward(problem.batch);
    engine.forward();
    engine->backward([](int) {});
    std::reverse(problem.batch.images.values.begin(), problem.batch.images.values.end());
    engine.set_images(problem.batch.images);
  }
  EXPECT_LE(relative_error(engine->moving_statistics(), flat(network.moving()), 1),
            kStatisticsTolerance);
}

TEST_P(EngineAgreement, WithTheReferenceInEvaluation) {
  const auto& [c, variant] = GetParam();
  Problem problem = reference::draw(c);
  problem.settings.training = false;
  Network network = reference::network(problem);
  BoundEngine engine(problem, variant, Mode::evaluation);
  std::size_t at = 0;
  for (reference::Moments& moving : network.moving()) {
    for (Values* values : {&moving.mean, &moving.variance}) {
      for (double& value : *values) {
        value = static_cast<float>(0.5 + 0.1 * double(at % 7));
        engine->moving_statistics()[at++] = static_cast<float>(value);
      }
    }
  }
  const double loss = network.forward(problem.batch);
  EXPECT_NEAR(engine.forward(), loss, kLossTolerance * loss);
  EXPECT_LE(relative_error(engine->logits(), network.logits().values), kLogitsTolerance);
  EXPECT_EQ(relative_error(engine->moving_statistics(), flat(network.moving()), 1), 0)
      << "evaluation leaves them alone";
}

INSTANTIATE_TEST_SUITE_P(Cases, EngineAgreement,
                         testing::Combine(testing::ValuesIn(reference::cases()),
                                          testing::Values(kAutomatic, kNchw, kNhwc)),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Winograd, EngineAgreement,
                         testing::Combine(testing::ValuesIn(winograd_cases()),
                                          testing::Values(kWinograd)),
                         name_of);

// Pixels and weights are small integers, so maxima tie often and exactly; that the first one wins
// shows in the weights' gradient because ties come from different pixels.
TEST(EngineMaxPool, GivesTheGradientOfATieToTheFirst) {
  const Case ties{"ties", {2, 8, 8}, 3, [](model::Node x) {
                    model::classify(model::max_pool(model::conv(x, 16, 1), 3), 5);
                  }};
  Problem problem = reference::draw(ties);
  for (double& w : problem.parameters.front()) w = w > 0 ? 1 : -1;
  for (double& pixel : problem.batch.images.values) pixel = std::round(pixel);
  for (const Variant& variant : {kAutomatic, kNchw, kNhwc}) {
    SCOPED_TRACE(variant);
    expect_agreement(problem, variant);
  }
}

}  // namespace
}  // namespace lockstep::engine
