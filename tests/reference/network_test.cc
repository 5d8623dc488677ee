#include "tests/reference/network.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/reference/cases.h"

namespace lockstep::reference {
namespace {

using testing::ElementsAre;

// Two features, the second always dropped or kept whole, scaled by batch norm.
model::Graph graph_with_batch_norm_and_dropout() {
  model::Graph graph;
  const model::Node image = model::input(graph, {2, 1, 1});
  model::classify(model::dropout(model::batch_norm(image, {.epsilon = 0, .decay = 0.5F}), 0.5F), 2,
                  {.bias = false});
  return graph;
}

TEST(ReferenceNetwork, EvaluatesByMovingAveragesAndWithoutDropout) {
  Network net(graph_with_batch_norm_and_dropout(), {.training = false});
  net.moving().front() = {{1, 2}, {4, 16}};
  net.parameters()[1] = {1, 0, 0, 1};  // the logits are the features
  const Batch batch{Tensor(1, {2, 1, 1}, {5, -2}), {0}};
  net.forward(batch);
  EXPECT_THAT(net.logits().values, ElementsAre(2, -1));
  EXPECT_THAT(net.moving().front().mean, ElementsAre(1, 2));
}

TEST(ReferenceNetwork, MovesAveragesOncePerTrainingStep) {
  Network net(graph_with_batch_norm_and_dropout());
  const Batch batch{Tensor(2, {2, 1, 1}, {0, 4, 2, 8}), {0, 1}};
  net.forward(batch);
  net.forward(batch);
  EXPECT_THAT(net.moving().front().mean, ElementsAre(0.75, 4.5));
  EXPECT_THAT(net.moving().front().variance, ElementsAre(0.25 + 0.75 * 2, 0.25 + 0.75 * 8));
}

TEST(ReferenceNetwork, WeighsTheLossesOfItsHeads) {
  model::Graph graph;
  const model::Node image = model::input(graph, {1, 1, 1});
  model::classify(image, 2);
  model::classify(image, 4, {}, 0.5F);
  Network net(graph);
  // Without weights every class is as likely as any other.
  const double loss = net.forward({Tensor(1, {1, 1, 1}, {1}), {0}});
  EXPECT_DOUBLE_EQ(loss, std::log(2.0) + 0.5 * std::log(4.0));
}

TEST(ReferenceNetwork, DropsByStepAndSampleAndSeed) {
  model::Graph graph;
  const model::Node image = model::input(graph, {64, 1, 1});
  model::classify(model::dropout(image, 0.5F), 2);
  const auto dropped = [&](std::uint64_t seed, std::uint64_t step, std::uint64_t sample) {
    Network net(graph, {.seed = seed});
    net.forward({Tensor(1, {64, 1, 1}, Values(64, 1.0)), {0}, step, sample});
    return net.output(1).values;
  };
  EXPECT_EQ(dropped(1, 2, 3), dropped(1, 2, 3));
  EXPECT_NE(dropped(1, 2, 3), dropped(0, 2, 3));
  EXPECT_NE(dropped(1, 2, 3), dropped(1, 0, 3));
  EXPECT_NE(dropped(1, 2, 3), dropped(1, 2, 0));
}

TEST(ReferenceCases, CoverTheWholeVocabularyOfLayers) {
  std::vector<bool> seen(std::variant_size_v<model::Op>);
  for (const Case& c : cases()) {
    for (const model::Layer& layer : build(c).layers) seen[layer.op.index()] = true;
  }
  EXPECT_THAT(seen, testing::Each(true));
}

TEST(ReferenceCases, SaturateRelu6AtBothEnds) {
  const auto c = std::find_if(cases().begin(), cases().end(),
                              [](const Case& each) { return each.name == "relu6"; });
  ASSERT_NE(c, cases().end());
  const Problem problem = draw(*c);
  Network net = network(problem);
  net.forward(problem.batch);
  for (std::size_t i = 0; i < problem.graph.layers.size(); ++i) {
    if (!std::holds_alternative<model::Activation>(problem.graph.layers[i].op)) continue;
    EXPECT_THAT(
        net.output(static_cast<int>(i)).values,
        testing::AllOf(testing::Contains(0.0), testing::Contains(6.0),
                       testing::Contains(testing::AllOf(testing::Gt(0.0), testing::Lt(6.0)))));
  }
}

}  // namespace
}  // namespace lockstep::reference
