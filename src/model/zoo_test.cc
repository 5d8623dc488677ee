#include "model/zoo.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace lockstep::model {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Build, TakesAnotherNumberOfClasses) {
  const Cost own = cost(build(find("resnet50")));
  const Graph graph = build(find("resnet50"), {.num_classes = 1000});
  EXPECT_EQ(graph.classes(), 1000);
  EXPECT_EQ(cost(graph).parameters, own.parameters - 2049);
  EXPECT_EQ(cost(graph).macs, own.macs - 2048);
}

TEST(Build, TakesAnotherImageSize) {
  const Cost own = cost(build(find("vgg11")));
  const Cost small = cost(build(find("vgg11"), {.image_size = 32}));
  EXPECT_EQ(small.parameters, own.parameters - 48 * 512 * 4096);
  EXPECT_EQ(small.conv_outputs, own.conv_outputs / 49);
}

TEST(Build, GivesBothHeadsTheNumberOfClasses) {
  const Graph graph = build(find("inception3_aux"), {.num_classes = 7});
  for (const Head& head : graph.heads) {
    EXPECT_EQ(graph.layers[static_cast<std::size_t>(head.layer)].shape.c, 7);
  }
}

std::string usage_error(auto&& action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    return std::string(error.what()) + " | " + error.hint();
  }
  return "no error";
}

TEST(Build, RefusesImpossibleSizes) {
  EXPECT_THAT(usage_error([] { build(find("vgg16"), {.image_size = 31}); }),
              HasSubstr("too small for vgg16"));
  EXPECT_THAT(usage_error([] { build(find("vgg16"), {.image_size = -1}); }),
              HasSubstr("--image_size is -1"));
  EXPECT_THAT(usage_error([] { build(find("trivial"), {.image_size = 100'000}); }),
              HasSubstr("--image_size is 100000"));
  EXPECT_THAT(usage_error([] { build(find("vgg16"), {.num_classes = -3}); }),
              HasSubstr("--num_classes is -3"));
}

TEST(SmallestImage, IsTheLastThatBuilds) {
  EXPECT_EQ(smallest_image(find("vgg16")), 32);
  EXPECT_EQ(smallest_image(find("lenet")), 4);
  EXPECT_EQ(smallest_image(find("inception3")), 75);
  EXPECT_EQ(smallest_image(find("densenet40_k12")), 4);
  EXPECT_EQ(smallest_image(find("mnist_softmax")), 1);
  EXPECT_EQ(smallest_image(find("resnet50")), 1);
  for (const Model& model : zoo()) {
    const int side = smallest_image(model);
    EXPECT_LE(side, model.image_size) << model.name;
    EXPECT_NO_THROW(build(model, {.image_size = side})) << model.name;
    if (side > 1) {
      EXPECT_THROW(build(model, {.image_size = side - 1}), Error) << model.name;
    }
  }
}

// --- Names -------------------------------------------------------------------------------------

TEST(Find, KnowsEveryModelByItsNameAndDataset) {
  for (const Model& model : zoo()) {
    EXPECT_EQ(&find(model.name), &model);
    EXPECT_EQ(&find(model.name, model.dataset), &model);
  }
}

TEST(Find, PicksTheModelForTheDataset) {
  EXPECT_EQ(find("alexnet", "cifar10").name, "alexnet_cifar");
  EXPECT_EQ(find("alexnet", "imagenet").name, "alexnet");
  EXPECT_EQ(find("alexnet").name, "alexnet");
  EXPECT_EQ(find("trivial", "cifar10").name, "trivial_cifar");
  EXPECT_EQ(find("lenet", "mnist").name, "mnist_deep");
  EXPECT_EQ(find("lenet", "imagenet").name, "lenet");
}

TEST(Find, TakesTheSpellingsOfThePredecessors) {
  for (const char* spelling : {"Inceptionv3", "inceptionv3", "inception_v3", "inception-v3"}) {
    EXPECT_EQ(find(spelling).name, "inception3") << spelling;
  }
  EXPECT_EQ(find("inception-v4").name, "inception4");
  EXPECT_EQ(find("Alexnet").name, "alexnet");
  EXPECT_EQ(find("Resnet").name, "resnet152_ab");
  EXPECT_EQ(find("resnet152v2").name, "resnet152_v2");
  EXPECT_EQ(find("ResNet-50").name, "resnet50");
  EXPECT_EQ(find("resnet50_v1").name, "resnet50");
  EXPECT_EQ(find("resnet50v1.5").name, "resnet50_v1.5");
  EXPECT_EQ(find("mobilenet_v2").name, "mobilenet");
  EXPECT_EQ(find("mobilenetv1").name, "mobilenet_v1");
  EXPECT_EQ(find("GoogLeNet").name, "googlenet");
  EXPECT_EQ(find("mlp").name, "mnist_mlp");
  EXPECT_EQ(find("resnet20", "CIFAR-10").name, "resnet20");
}

TEST(Find, SuggestsTheClosestNameAndListsTheKnownOnes) {
  const std::string error = usage_error([] { find("resnet5O"); });
  EXPECT_THAT(error, HasSubstr("unknown model 'resnet5O' | did you mean resnet50? known: "));
  EXPECT_THAT(error, HasSubstr("densenet100_k24"));
  EXPECT_THAT(usage_error([] { find("transformer"); }), Not(HasSubstr("did you mean")));
  EXPECT_THAT(usage_error([] { find(""); }), HasSubstr("unknown model"));
  EXPECT_THAT(usage_error([] { find("resnet20", "cifar100"); }),
              HasSubstr("unknown dataset 'cifar100' | did you mean cifar10?"));
}

TEST(Find, RefusesAModelForOtherImages) {
  const std::string error = usage_error([] { find("resnet20", "imagenet"); });
  EXPECT_THAT(error, HasSubstr("resnet20 is made for cifar10 images, not imagenet"));
  EXPECT_THAT(error, HasSubstr("resnet50"));
  EXPECT_THAT(error, Not(HasSubstr("resnet56")));
  EXPECT_THAT(usage_error([] { find("alexnet", "mnist"); }), HasSubstr("not mnist"));
}

}  // namespace
}  // namespace lockstep::model
