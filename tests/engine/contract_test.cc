// What engine.h promises besides the numbers themselves.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>

#include "tests/engine/bound_engine.h"
#include "tests/reference/cases.h"

namespace lockstep::engine {
namespace {

using reference::Case;
using reference::Problem;
using testing::Each;
using testing::IsEmpty;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

const auto ignore = [](int) {};

class EngineContract : public testing::TestWithParam<std::tuple<Case, Variant>> {
 protected:
  const Problem problem_ = reference::draw(std::get<Case>(GetParam()));
  BoundEngine engine_{problem_, std::get<Variant>(GetParam())};
};

TEST_P(EngineContract, OffersEveryParameterOfTheGraphOnceAtAscendingOffsets) {
  std::set<std::size_t> places;
  std::size_t end = 0;
  for (int i = 0; i < engine_.parameter_count(); ++i) {
    const Parameter& p = engine_->parameters()[static_cast<std::size_t>(i)];
    places.insert(engine_.place_in_graph(i));
    EXPECT_GE(p.offset, end) << p.plain.name;
    EXPECT_GE(static_cast<std::int64_t>(p.size), p.plain.elements()) << p.plain.name;
    end = p.offset + p.size;
  }
  EXPECT_LE(end, engine_->parameter_floats());
  EXPECT_EQ(places.size(), problem_.parameters.size());
  EXPECT_EQ(engine_.parameter_count(), static_cast<int>(problem_.parameters.size()));
}

TEST_P(EngineContract, ReturnsParametersAsTheyWereSet) {
  for (int i = 0; i < engine_.parameter_count(); ++i) {
    std::vector<float> plain(engine_->parameter(i).size());
    std::iota(plain.begin(), plain.end(), 1.0F);
    engine_->set_parameter(i, plain);
    EXPECT_EQ(engine_->parameter(i), plain) << engine_.name(i);
  }
}

TEST_P(EngineContract, KeepsPaddingOfParametersAndGradientsAtZero) {
  const auto non_zero = [](const auto& values) {
    return std::count_if(values.begin(), values.end(), [](float v) { return v != 0; });
  };
  for (int step = 0; step < 2; ++step) {
    engine_.forward();
    engine_->backward(ignore);
  }
  for (int i = 0; i < engine_.parameter_count(); ++i) {
    EXPECT_EQ(non_zero(engine_.stored_parameter(i)), non_zero(engine_->parameter(i)))
        << engine_.name(i);
    EXPECT_EQ(non_zero(engine_.stored_gradient(i)), non_zero(engine_->gradient(i)))
        << engine_.name(i);
  }
}

TEST_P(EngineContract, AnnouncesEachGradientInOrderWhenItIsFinal) {
  std::vector<int> announced;
  std::vector<std::vector<float>> when_announced;
  engine_.forward();
  engine_->backward([&](int i) {
    announced.push_back(i);
    when_announced.push_back(engine_->gradient(i));
  });
  std::vector<int> in_order(static_cast<std::size_t>(engine_.parameter_count()));
  std::iota(in_order.begin(), in_order.end(), 0);
  EXPECT_EQ(announced, in_order);
  EXPECT_EQ(when_announced, engine_.gradients());
}

TEST_P(EngineContract, ReadsNoParameterBehindItsAnnouncement) {
  BoundEngine undisturbed(problem_, std::get<Variant>(GetParam()));
  undisturbed.forward();
  undisturbed->backward(ignore);
  engine_.forward();
  engine_->backward([&](int i) { std::ranges::fill(engine_.stored_parameter(i), kNan); });
  EXPECT_EQ(engine_.gradients(), undisturbed.gradients());
}

TEST_P(EngineContract, ReadsNoParameterBeforeItIsNeeded) {
  const float loss = engine_.forward();
  std::vector<std::vector<float>> values;
  for (int i = 0; i < engine_.parameter_count(); ++i) {
    const std::span<float> stored = engine_.stored_parameter(i);
    values.emplace_back(stored.begin(), stored.end());
    std::ranges::fill(stored, kNan);
  }
  std::vector<int> needed(values.size());
  EXPECT_EQ(engine_->forward(engine_.batch(),
                             [&](int i) {
                               const auto parameter = static_cast<std::size_t>(i);
                               ++needed[parameter];
                               std::ranges::copy(values[parameter],
                                                 engine_.stored_parameter(i).begin());
                             }),
            loss);
  EXPECT_EQ(needed, std::vector<int>(values.size(), 1));
}

TEST_P(EngineContract, RepeatsAStepBitForBit) {
  const float loss = engine_.forward();
  engine_->backward(ignore);
  const std::vector<std::vector<float>> gradients = engine_.gradients();
  EXPECT_EQ(engine_.forward(), loss);
  engine_->backward(ignore);
  EXPECT_EQ(engine_.gradients(), gradients);

  BoundEngine another(problem_, std::get<Variant>(GetParam()));
  EXPECT_EQ(another.forward(), loss);
  another->backward(ignore);
  EXPECT_EQ(another.gradients(), gradients);
}

TEST_P(EngineContract, FindsNoFaultInAHealthyNetwork) {
  EXPECT_EQ(engine_->first_non_finite(engine_.batch()), "");
}

TEST_P(EngineContract, NamesTheLayerWhoseParameterIsNotFinite) {
  for (int i = 0; i < engine_.parameter_count(); ++i) {
    const std::vector<float> healthy = engine_->parameter(i);
    for (const float fault : {kNan, std::numeric_limits<float>::infinity()}) {
      std::vector<float> broken = healthy;
      broken.back() = fault;
      engine_->set_parameter(i, broken);
      const int layer = engine_->parameters()[static_cast<std::size_t>(i)].plain.layer;
      EXPECT_EQ(engine_->first_non_finite(engine_.batch()),
                problem_.graph.layers[static_cast<std::size_t>(layer)].name)
          << engine_.name(i);
    }
    engine_->set_parameter(i, healthy);
  }
}

TEST_P(EngineContract, InitialisesByNameAndPositionWhateverTheLayout) {
  initialise(*engine_, 42);
  BoundEngine plain(problem_, kNchw);
  initialise(*plain, 42);
  BoundEngine another_seed(problem_, kNchw);
  initialise(*another_seed, 43);
  for (int i = 0; i < engine_.parameter_count(); ++i) {
    const auto counterpart = [&](const BoundEngine& other) {
      int j = 0;
      while (other.name(j) != engine_.name(i)) ++j;
      return other->parameter(j);
    };
    const model::Init init = engine_->parameters()[static_cast<std::size_t>(i)].plain.init;
    const std::vector<float> values = engine_->parameter(i);
    EXPECT_EQ(values, counterpart(plain)) << engine_.name(i);
    if (init.kind == model::Init::Kind::constant) {
      EXPECT_THAT(values, Each(init.value)) << engine_.name(i);
    } else {
      EXPECT_NE(values, counterpart(another_seed)) << engine_.name(i);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, EngineContract,
                         testing::Combine(testing::ValuesIn(reference::cases()),
                                          testing::Values(kAutomatic, kNhwc)),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Winograd, EngineContract,
                         testing::Combine(testing::ValuesIn(winograd_cases()),
                                          testing::Values(kWinograd)),
                         name_of);

// What the library reads beyond its own memory is the same most of the time.
TEST(EngineConv, RepeatsGradientsOfStridedNarrowPixelsBitForBit) {
  const Case narrow{"narrow", {3, 8, 8}, 3, [](model::Node x) {
                      model::classify(model::conv(x, 8, 1, {.stride = 2}), 5);
                    }};
  const Problem problem = reference::draw(narrow);
  BoundEngine engine(problem, kNhwc);
  engine.forward();
  engine->backward(ignore);
  const std::vector<std::vector<float>> gradients = engine.gradients();
  for (int again = 0; again < 500; ++again) {
    engine.forward();
    engine->backward(ignore);
    ASSERT_EQ(engine.gradients(), gradients) << "time " << again;
  }
}

class EnginePlan : public testing::TestWithParam<Case> {};

// The library falls back to plain loops, hundreds of times slower, without a word. It has nothing
// else for groups whose channels do not fill a vector, which no model has.
bool may_be_slow(const Case& c) {
  return c.name == "conv_in_odd_groups";
}

TEST_P(EnginePlan, UsesNoPlainLoopsOfTheLibrary) {
  const BoundEngine engine(reference::draw(GetParam()));
  std::vector<std::string> slow;
  for (const PlannedStep& step : engine->plan().steps) {
    if (step.implementation.starts_with("ref")) {
      slow.push_back(step.pass + " " + step.layer + " " + step.implementation);
    }
  }
  if (!may_be_slow(GetParam())) {
    EXPECT_THAT(slow, IsEmpty());
  }
}

TEST_P(EnginePlan, CountsEveryReorderItLists) {
  const BoundEngine engine(reference::draw(GetParam()));
  const PlanSummary& plan = engine->plan();
  const auto listed =
      std::count_if(plan.steps.begin(), plan.steps.end(),
                    [](const PlannedStep& step) { return step.operation.starts_with("reorder"); });
  EXPECT_EQ(listed, plan.reorders_of_data + plan.reorders_of_rows + plan.reorders_of_weights);
  EXPECT_EQ(plan.parameter_bytes, engine->parameter_floats() * sizeof(float));
}

INSTANTIATE_TEST_SUITE_P(Cases, EnginePlan, testing::ValuesIn(reference::cases()),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace lockstep::engine
