#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/engine.h"
#include "model/zoo.h"

namespace lockstep::engine {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

// Of five convolutions three leave a choice, and two of those are alike.
model::Graph small_network() {
  model::Graph graph;
  model::Node x = model::conv(model::input(graph, {3, 12, 12}), 16, 3);
  x = model::conv(model::relu(model::conv(x, 16, 3)), 16, 3);
  x = model::conv(model::conv(x, 48, 1, 7), 32, 1);
  model::classify(model::global_mean(x), 5);
  return graph;
}

std::vector<std::string> own_layers(const model::Graph& graph, const Options& options) {
  const auto engine = compile(graph, options);
  std::vector<std::string> layers;
  for (const PlannedStep& step : engine->plan().steps) {
    if (step.operation == "conv" && step.implementation.starts_with("lockstep:winograd")) {
      layers.push_back(step.layer);
    }
  }
  return layers;
}

TEST(ConvChoice, IsMeasuredOncePerShapeAndThenKept) {
  const model::Graph graph = small_network();
  Options options{.batch = 2, .workspace_share = 1};
  ConvChoices choices = choose_convolutions(graph, options, 60);
  EXPECT_THAT(choices, SizeIs(2));
  for (const ConvAlgorithm known : {ConvAlgorithm::direct, ConvAlgorithm::winograd}) {
    for (auto& [shape, algorithm] : choices) algorithm = known;
    options.conv_choices = choices;
    EXPECT_EQ(choose_convolutions(graph, options, 60), choices);
  }
}

TEST(ConvChoice, DecidesWhatThePlanIsMadeOf) {
  const model::Graph graph = small_network();
  Options options{.batch = 2, .workspace_share = 1};
  options.conv_choices = choose_convolutions(graph, options, 0);
  ASSERT_THAT(options.conv_choices, SizeIs(2));
  for (auto& [shape, algorithm] : options.conv_choices) {
    algorithm =
        shape.find("-> 48") != std::string::npos ? ConvAlgorithm::winograd : ConvAlgorithm::direct;
  }
  EXPECT_THAT(own_layers(graph, options), ElementsAre("conv4"));
  options.conv_algorithm = ConvAlgorithm::winograd;
  EXPECT_THAT(own_layers(graph, options), ElementsAre("conv2", "conv3", "conv4"));
  options.conv_algorithm = ConvAlgorithm::direct;
  EXPECT_THAT(own_layers(graph, options), IsEmpty());
}

TEST(ConvChoice, IsNoneWhereAnAlgorithmIsForced) {
  for (const ConvAlgorithm forced : {ConvAlgorithm::direct, ConvAlgorithm::winograd}) {
    EXPECT_THAT(choose_convolutions(small_network(), {.conv_algorithm = forced}, 60), IsEmpty());
  }
}

TEST(ConvChoice, DependsOnBatchAndMode) {
  const model::Graph graph = small_network();
  const auto name = [&](const Options& options) {
    return choose_convolutions(graph, options, 0).begin()->first;
  };
  const std::string two = name({.batch = 2});
  EXPECT_NE(name({.batch = 3}), two);
  EXPECT_NE(name({.batch = 2, .mode = Mode::evaluation}), two);
}

TEST(ConvChoice, TakesNoMoreScratchMemoryThanItMay) {
  const model::Graph graph = small_network();
  Options options{.conv_algorithm = ConvAlgorithm::winograd, .workspace_share = 1};
  EXPECT_THAT(own_layers(graph, options), SizeIs(3));
  options.workspace_bytes = 1 << 10;
  EXPECT_THAT(own_layers(graph, options), IsEmpty());
}

// Where memory is small, per-thread scratch is not.
TEST(ConvChoice, AddsAtMostAQuarterToTheMemoryOfThePlan) {
  for (const auto& [name, batch] : {std::pair("vgg16", 8), std::pair("resnet50_v1.5", 16),
                                    std::pair("alexnet", 16), std::pair("resnet20", 1)}) {
    const model::Graph graph = model::build(model::find(name));
    const auto bytes = [&, batch = batch](ConvAlgorithm algorithm) {
      const auto engine = compile(graph, {.batch = batch, .conv_algorithm = algorithm});
      return double(engine->plan().arena_bytes + 2 * engine->plan().parameter_bytes);
    };
    EXPECT_LE(bytes(ConvAlgorithm::winograd), 1.25 * bytes(ConvAlgorithm::direct)) << name;
  }
}

}  // namespace
}  // namespace lockstep::engine
