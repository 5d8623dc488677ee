#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "model/zoo.h"

// Details of the families that sizes do not show.
namespace lockstep::model {
namespace {

using testing::ElementsAre;

template <typename Kind>
std::vector<Kind> all(const Graph& graph) {
  std::vector<Kind> found;
  for (const Layer& layer : graph.layers) {
    if (const Kind* op = std::get_if<Kind>(&layer.op)) found.push_back(*op);
  }
  return found;
}

const Layer& layer_named(const Graph& graph, std::string_view name) {
  return *std::ranges::find(graph.layers, name, &Layer::name);
}

TEST(Inception3Aux, WeighsItsSecondHeadAndSmoothsLabels) {
  const Graph graph = build(find("inception3_aux"));
  ASSERT_EQ(graph.heads.size(), 2U);
  EXPECT_EQ(graph.heads[0].weight, 1.0F);
  EXPECT_EQ(graph.heads[1].weight, 0.4F);
  EXPECT_EQ(graph.label_smoothing, 0.1F);
  const auto aux = static_cast<std::size_t>(graph.heads[1].layer);
  EXPECT_EQ(graph.layers[aux].shape, (Shape{1001, 1, 1}));
  EXPECT_EQ(std::get<Dense>(graph.layers[aux].op).weights.value, 0.001F);
  const std::vector<Conv> convs = all<Conv>(graph);
  EXPECT_EQ(convs.back().kernel_h, 5);
  EXPECT_EQ(convs.back().weights.value, 0.01F);
  EXPECT_EQ(convs.front().weights.value, 0.1F);
  for (const BatchNorm& norm : all<BatchNorm>(graph)) EXPECT_EQ(norm.decay, 0.9997F);
  EXPECT_EQ(all<Dropout>(graph).front().keep, 0.8F);
}

TEST(Inception3, HasOneHeadAndAMaximumInItsLastBlockOnly) {
  const Graph graph = build(find("inception3"));
  EXPECT_EQ(graph.heads.size(), 1U);
  EXPECT_EQ(graph.label_smoothing, 0.0F);
  const auto maxima_without_stride = [](const Graph& g) {
    const std::vector<Pool> pools = all<Pool>(g);
    return std::ranges::count_if(
        pools, [](const Pool& pool) { return pool.kind == Pool::Kind::max && pool.stride_h == 1; });
  };
  EXPECT_EQ(maxima_without_stride(graph), 1);
  EXPECT_EQ(maxima_without_stride(build(find("inception3_aux"))), 0);
}

TEST(AlexNetAb, NormalisesResponsesAndDropsNothing) {
  const Graph graph = build(find("alexnet_ab"));
  const std::vector<Lrn> norms = all<Lrn>(graph);
  ASSERT_EQ(norms.size(), 2U);
  EXPECT_EQ(norms[0].radius, 2);
  EXPECT_EQ(norms[0].alpha, 2e-5F);
  EXPECT_TRUE(all<Dropout>(graph).empty());
  for (const Dense& dense : all<Dense>(graph)) EXPECT_EQ(dense.weights.value, 0.1F);
}

TEST(AlexNet, DropsHalfOfBothHiddenLayersAndNormalisesNothing) {
  const Graph graph = build(find("alexnet"));
  EXPECT_EQ(all<Dropout>(graph).size(), 2U);
  EXPECT_TRUE(all<Lrn>(graph).empty());
  const std::vector<Dense> dense = all<Dense>(graph);
  EXPECT_FLOAT_EQ(dense[0].weights.value, std::sqrt(2.0F / 9216));  // a ReLU follows
  EXPECT_FLOAT_EQ(dense[2].weights.value, std::sqrt(1.0F / 4096));  // linear
}

TEST(AlexNetCifar, StartsWithItsOwnBiases) {
  const Graph graph = build(find("alexnet_cifar"));
  EXPECT_EQ(std::get<Conv>(layer_named(graph, "conv1").op).bias_init.value, 0.0F);
  EXPECT_EQ(std::get<Conv>(layer_named(graph, "conv2").op).bias_init.value, 0.1F);
  EXPECT_EQ(std::get<Dense>(layer_named(graph, "dense2").op).bias_init.value, 0.1F);
  EXPECT_EQ(std::get<Dense>(layer_named(graph, "dense3").op).bias_init.value, 0.0F);
  EXPECT_FLOAT_EQ(all<Lrn>(graph).front().alpha, 0.001F / 9);
}

TEST(ResNet, StridesWhereItsVersionSays) {
  const auto strided_3x3 = [](std::string_view name) {
    const std::vector<Conv> convs = all<Conv>(build(find(name)));
    return std::ranges::count_if(
        convs, [](const Conv& conv) { return conv.kernel_h == 3 && conv.stride_h == 2; });
  };
  EXPECT_EQ(strided_3x3("resnet50"), 0);
  EXPECT_EQ(strided_3x3("resnet50_v1.5"), 3);
  EXPECT_EQ(strided_3x3("resnet50_v2"), 0);
}

TEST(ResNet, MixesTwoBatchNormsInVersionTwo) {
  const std::vector<BatchNorm> norms = all<BatchNorm>(build(find("resnet50_v2")));
  EXPECT_TRUE(norms.front().scale);
  EXPECT_EQ(norms.front().epsilon, 1e-5F);
  EXPECT_FALSE(norms.back().scale);
  EXPECT_EQ(norms.back().epsilon, 1e-3F);
  EXPECT_EQ(norms.back().decay, 0.999F);
}

TEST(ResNet, PadsItsFirstConvolutionAndPoolAsItsVersionOfTheLayoutDoes) {
  const Graph ours = build(find("resnet50"));
  EXPECT_EQ(all<Conv>(ours).front().padding, (Padding{3, 3, 3, 3}));
  EXPECT_EQ(all<Pool>(ours).front().padding, (Padding{0, 0, 1, 1}));
  const Graph torchvision = build(find("resnet18"));
  EXPECT_EQ(all<Conv>(torchvision).front().padding, (Padding{3, 3, 3, 3}));
  EXPECT_EQ(all<Pool>(torchvision).front().padding, (Padding{1, 1, 1, 1}));
}

TEST(ResNet152Ab, LeaksAndStridesInsteadOfPooling) {
  const Graph graph = build(find("resnet152_ab"));
  EXPECT_EQ(all<Pool>(graph).size(), 1U);  // the mean at the end
  for (const Activation& activation : all<Activation>(graph)) {
    EXPECT_EQ(activation.kind, Activation::Kind::leaky_relu);
    EXPECT_EQ(activation.slope, 0.1F);
  }
  EXPECT_EQ(all<BatchNorm>(graph).front().epsilon, 1e-3F);
  const Layer& first_add = layer_named(graph, "add1");
  EXPECT_EQ(first_add.shape, (Shape{256, 56, 56}));
}

TEST(ResNet152Ab, AloneDecaysItsWeightsFasterThanTheRest) {
  for (const Model& model : zoo()) {
    EXPECT_EQ(model.weight_decay, model.name == "resnet152_ab" ? 2e-4 : 4e-5) << model.name;
  }
}

TEST(ResNetCifar, ShortensItsShortcutsWithoutParameters) {
  const std::vector<PadShortcut> shortcuts = all<PadShortcut>(build(find("resnet20")));
  ASSERT_EQ(shortcuts.size(), 2U);
  EXPECT_EQ(shortcuts[0].channels, 32);
  EXPECT_EQ(shortcuts[1].channels, 64);
  EXPECT_EQ(shortcuts[1].stride, 2);
}

TEST(ResNetCifar, ActivatesItsFirstConvolutionInVersionTwoOnly) {
  const auto third_layer = [](std::string_view name) {
    return std::string(kind_name(build(find(name)).layers[3].op));
  };
  EXPECT_EQ(third_layer("resnet20"), "conv");
  EXPECT_EQ(third_layer("resnet20_v2"), "activation");
}

TEST(DenseNet, NarrowsToTwiceItsGrowthInTransitions) {
  const Graph graph = build(find("densenet40_k12"));
  const std::vector<Conv> convs = all<Conv>(graph);
  EXPECT_EQ(convs[13].kernel_h, 1);
  EXPECT_EQ(convs[13].filters, 24);
  EXPECT_FLOAT_EQ(convs[13].weights.value, std::sqrt(2.0F / 9 / 24));
  EXPECT_TRUE(convs[13].bias);
}

TEST(MobileNet, ClipsAtSixAndPadsAlikeOnAllSides) {
  for (const char* name : {"mobilenet", "mobilenet_v1"}) {
    const Graph graph = build(find(name));
    for (const Activation& activation : all<Activation>(graph)) {
      EXPECT_EQ(activation.kind, Activation::Kind::relu6);
    }
  }
  const Conv first = all<Conv>(build(find("mobilenet"))).front();
  EXPECT_EQ(first.padding, (Padding{1, 1, 1, 1}));
}

TEST(OwnLearningRate, FollowsEachModelsRecipe) {
  EXPECT_EQ(find("vgg16").learning_rate().base, 0.005F);
  const OwnLearningRate residual = find("resnet50").learning_rate();
  EXPECT_EQ(residual.base, 0.128F);
  EXPECT_EQ(residual.base_batch, 256);
  EXPECT_EQ(residual.warmup_epochs, 5);
  EXPECT_THAT(residual.decay_epochs, ElementsAre(30, 60, 80, 90));
  const OwnLearningRate cifar = find("resnet20").learning_rate();
  EXPECT_EQ(cifar.base, 0.1F);
  EXPECT_THAT(cifar.decay_epochs, ElementsAre(82, 123, 300));
  EXPECT_FLOAT_EQ(cifar.base * cifar.decay_factors.back(), 0.0002F);
  EXPECT_EQ(find("alexnet_cifar").learning_rate().step_epochs, 100);
  EXPECT_FLOAT_EQ(find("inception3_aux").learning_rate().step_factor, 0.94F);
  EXPECT_EQ(find("mnist_softmax").learning_rate().base, 0.5F);
  for (const Model& model : zoo()) {
    const OwnLearningRate rate = model.learning_rate();
    EXPECT_GT(rate.base, 0) << model.name;
    EXPECT_EQ(rate.decay_epochs.size(), rate.decay_factors.size()) << model.name;
  }
}

}  // namespace
}  // namespace lockstep::model
