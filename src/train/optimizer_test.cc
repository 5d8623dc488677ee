#include "train/optimizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/rng.h"

namespace lockstep::train {
namespace {

using spec::OptimizerKind;

// One element under the rules as they are written down, in double.
class Reference {
 public:
  Reference(const spec::Optimizer& options, double value) : o_(options), p_(value) {
    if (o_.kind == OptimizerKind::rmsprop) s_ = 1;
  }

  double value() const { return p_; }

  void step(double gradient, bool decays, double rate) {
    ++t_;
    double g = gradient + (decays ? *o_.weight_decay * p_ : 0);
    if (o_.gradient_clip) g = std::min(std::max(g, -*o_.gradient_clip), *o_.gradient_clip);
    switch (o_.kind) {
      case OptimizerKind::sgd:
        p_ -= rate * g;
        break;
      case OptimizerKind::momentum:
        m_ = o_.momentum * m_ + g;
        p_ -= rate * (o_.nesterov ? g + o_.momentum * m_ : m_);
        break;
      case OptimizerKind::rmsprop:
        s_ = o_.rmsprop_decay * s_ + (1 - o_.rmsprop_decay) * g * g;
        m_ = o_.rmsprop_momentum * m_ + rate * g / std::sqrt(s_ + o_.rmsprop_epsilon);
        p_ -= m_;
        break;
      case OptimizerKind::adam:
        m_ = o_.adam_beta1 * m_ + (1 - o_.adam_beta1) * g;
        s_ = o_.adam_beta2 * s_ + (1 - o_.adam_beta2) * g * g;
        p_ -= rate * std::sqrt(1 - std::pow(o_.adam_beta2, t_)) /
              (1 - std::pow(o_.adam_beta1, t_)) * m_ / (std::sqrt(s_) + o_.adam_epsilon);
        break;
    }
  }

 private:
  spec::Optimizer o_;
  double p_, m_ = 0, s_ = 0;
  int t_ = 0;
};

struct Case {
  std::string name;
  OptimizerKind kind;
  bool nesterov;
};

class EveryRule : public testing::TestWithParam<Case> {
 protected:
  spec::Optimizer options() const {
    spec::Optimizer options;
    options.kind = GetParam().kind;
    options.nesterov = GetParam().nesterov;
    options.weight_decay = 0.01;
    return options;
  }
};

std::vector<float> random(std::size_t size, std::uint64_t key, float scale = 1) {
  const Rng rng(key);
  std::vector<float> values(size);
  for (std::size_t i = 0; i < size; ++i) values[i] = scale * rng.normal(i);
  return values;
}

double rate_of(int step) {
  return 0.05 / (1 + step);
}

TEST_P(EveryRule, FollowsItsFormula) {
  constexpr std::size_t kSize = 37;  // not a multiple of any vector
  for (const bool decays : {false, true}) {
    for (const bool clips : {false, true}) {
      SCOPED_TRACE(testing::Message() << "decays " << decays << ", clips " << clips);
      spec::Optimizer options = this->options();
      if (clips) options.gradient_clip = 0.5;
      std::vector<float> parameters = random(kSize, 1);
      std::vector<float> gradients(kSize);
      Optimizer optimizer(options, parameters);
      std::vector<Reference> reference;
      for (const float p : parameters) reference.emplace_back(options, p);

      for (int step = 0; step < 8; ++step) {
        const std::vector<float> next = random(kSize, 100 + step);
        std::copy(next.begin(), next.end(), gradients.begin());
        optimizer.begin_step(step, rate_of(step));
        optimizer.update(0, gradients, decays);
        for (std::size_t i = 0; i < kSize; ++i) {
          reference[i].step(gradients[i], decays, rate_of(step));
          ASSERT_NEAR(parameters[i], reference[i].value(), 2e-6) << "element " << i;
        }
      }
    }
  }
}

TEST_P(EveryRule, LeavesPaddingAtZero) {
  std::vector<float> parameters(50), gradients(50);
  Optimizer optimizer(options(), parameters);
  for (int step = 0; step < 2000; ++step) {
    optimizer.begin_step(step, 0.1);
    optimizer.update(0, gradients, true);
  }
  EXPECT_THAT(parameters, testing::Each(0.0F));
}

TEST_P(EveryRule, TouchesOnlyTheRangeThatItIsGiven) {
  std::vector<float> parameters = random(100, 1);
  const std::vector<float> before = parameters;
  const std::vector<float> gradients = random(40, 2);
  Optimizer optimizer(options(), parameters);
  optimizer.begin_step(0, 0.1);
  optimizer.update(30, gradients, true);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    EXPECT_EQ(parameters[i] != before[i], 30 <= i && i < 70) << i;
  }
}

TEST_P(EveryRule, MakesAMeanOfGradientsThatComeAsSums) {
  const std::vector<float> mean = random(37, 2);
  std::vector<float> sum = mean;
  for (float& g : sum) g *= 4;
  std::vector<float> expected = random(37, 1), parameters = expected;
  Optimizer by_mean(options(), expected), by_sum(options(), parameters, 0.25);
  for (int step = 0; step < 3; ++step) {
    by_mean.begin_step(step, 0.1);
    by_mean.update(0, mean, true);
    by_sum.begin_step(step, 0.1);
    by_sum.update(0, sum, true);
  }
  EXPECT_EQ(parameters, expected);
}

TEST_P(EveryRule, GivesTheSameValuesInAnyOrderOfItsParts) {
  const std::vector<float> gradients = random(100, 2);
  std::vector<float> whole = random(100, 1), parts = whole;
  Optimizer at_once(options(), whole), in_parts(options(), parts);
  for (int step = 0; step < 3; ++step) {
    at_once.begin_step(step, 0.1);
    at_once.update(0, gradients, true);
    in_parts.begin_step(step, 0.1);
    in_parts.update(48, std::span(gradients).subspan(48), true);
    in_parts.update(0, std::span(gradients).first(48), true);
  }
  EXPECT_EQ(parts, whole);
}

TEST_P(EveryRule, LetsPartsBeAtDifferentSteps) {
  const std::vector<float> gradients = random(100, 2);
  std::vector<float> whole = random(100, 1), parts = whole;
  Optimizer at_once(options(), whole), in_parts(options(), parts);
  for (int step = 0; step < 3; ++step) {
    at_once.begin_step(step, 0.1 * (step + 1));
    at_once.update(0, gradients, true);
  }
  const auto update = [&](int step, std::size_t begin, std::size_t end) {
    in_parts.begin_step(step, 0.1 * (step + 1));
    in_parts.update(begin, std::span(gradients).subspan(begin, end - begin), true);
  };
  for (int step = 0; step < 3; ++step) update(step, 48, 100);
  for (int step = 0; step < 3; ++step) update(step, 0, 48);
  EXPECT_EQ(parts, whole);
}

INSTANTIATE_TEST_SUITE_P(Optimizer, EveryRule,
                         testing::Values(Case{"Sgd", OptimizerKind::sgd, false},
                                         Case{"Momentum", OptimizerKind::momentum, false},
                                         Case{"Nesterov", OptimizerKind::momentum, true},
                                         Case{"Rmsprop", OptimizerKind::rmsprop, false},
                                         Case{"Adam", OptimizerKind::adam, false}),
                         [](const auto& rule) { return rule.param.name; });

TEST(Optimizer, ReturnsTheSquaresOfTheNewValuesOfDecayingParametersOnly) {
  std::vector<float> parameters = {1, -2, 3, 4};
  const std::vector<float> gradients = {2, 2, 2};
  spec::Optimizer options;
  options.weight_decay = 0;
  Optimizer optimizer(options, parameters);
  optimizer.begin_step(0, 0.5);
  EXPECT_EQ(optimizer.update(0, gradients, true), 0 + 9 + 4);
  EXPECT_EQ(optimizer.update(3, std::span(gradients).first(1), false), 0);
}

TEST(Optimizer, RefusesAnEpsilonThatDividesByZero) {
  std::vector<float> parameters(1);
  spec::Optimizer adam;
  adam.kind = OptimizerKind::adam;
  adam.adam_epsilon = 0;
  EXPECT_THROW(Optimizer(adam, parameters), Error);
  spec::Optimizer rmsprop;
  rmsprop.kind = OptimizerKind::rmsprop;
  rmsprop.rmsprop_epsilon = 0;
  EXPECT_THROW(Optimizer(rmsprop, parameters), Error);
}

TEST(SumOfSquares, AddsUpInDouble) {
  const std::vector<float> values(40'000, 4097.0F);  // whose square has 25 bits
  EXPECT_EQ(sum_of_squares(values), 40'000 * 4097.0 * 4097.0);
}

}  // namespace
}  // namespace lockstep::train
