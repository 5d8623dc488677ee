#include "model/zoo/blocks.h"
#include "model/zoo/families.h"

namespace lockstep::model {
namespace {

// One tower, neither groups nor response normalisation.
void alexnet(Node x, int classes) {
  x = conv_relu(x, 64, 11, {.stride = 4, .border = Border::valid});
  x = max_pool(x, 3);
  x = conv_relu(x, 192, 5);
  x = max_pool(x, 3);
  x = conv_relu(x, 384, 3);
  x = conv_relu(x, 384, 3);
  x = conv_relu(x, 256, 3);
  x = max_pool(x, 3);
  x = dropout(dense_relu(x, 4096), 0.5F);
  x = dropout(dense_relu(x, 4096), 0.5F);
  classify(x, classes);
}

// As in the scalability comparisons of 2016: response normalisation, no dropout.
void alexnet_ab(Node x, int classes) {
  constexpr Init kWeights = truncated_normal(0.1F);
  constexpr Lrn kLrn{.radius = 2, .alpha = 2e-5F, .beta = 0.75F, .bias = 1};
  x = conv_relu(x, 64, 11, {.stride = 4, .weights = kWeights});
  x = max_pool(lrn(x, kLrn), 3);
  x = conv_relu(x, 192, 5, {.weights = kWeights});
  x = max_pool(lrn(x, kLrn), 3);
  x = conv_relu(x, 384, 3, {.weights = kWeights});
  x = conv_relu(x, 256, 3, {.weights = kWeights});
  x = conv_relu(x, 256, 3, {.weights = kWeights});
  x = max_pool(x, 3);
  x = relu(dense(x, 4096, {.weights = kWeights}));
  x = relu(dense(x, 4096, {.weights = kWeights}));
  classify(x, classes, {.weights = kWeights});
}

void alexnet_cifar(Node x, int classes) {
  constexpr Init kConvWeights = truncated_normal(0.05F);
  constexpr Init kBias{Init::Kind::constant, 0.1F};
  constexpr DenseOptions kHidden{.weights = truncated_normal(0.04F), .bias_init = kBias};
  constexpr Lrn kLrn{.radius = 4, .alpha = 0.001F / 9, .beta = 0.75F, .bias = 1};
  x = conv_relu(x, 64, 5, {.weights = kConvWeights});
  x = lrn(max_pool(x, 3, {.border = Border::same}), kLrn);
  x = conv_relu(x, 64, 5, {.weights = kConvWeights, .bias_init = kBias});
  x = max_pool(lrn(x, kLrn), 3, {.border = Border::same});
  x = relu(dense(x, 384, kHidden));
  x = relu(dense(x, 192, kHidden));
  classify(x, classes);
}

// With such weights the first losses are near 1e5, and so are gradients. The comparisons trained
// with 0.1 and did not look at the loss, which is not a number from the third step on.
OwnLearningRate ab_learning_rate() {
  return {.base = 1e-8F};
}

OwnLearningRate cifar_learning_rate() {
  return {.base = 0.1F, .step_epochs = 100, .step_factor = 0.1F};
}

constexpr Model kModels[] = {
    {"alexnet", "imagenet", 227, 3, 512, kImagenetClasses, alexnet, plain_learning_rate},
    {"alexnet_ab", "imagenet", 224, 3, 256, 1000, alexnet_ab, ab_learning_rate},
    {"alexnet_cifar", "cifar10", 32, 3, 128, kCifarClasses, alexnet_cifar, cifar_learning_rate},
};

}  // namespace

Family alexnet_family() {
  return kModels;
}

}  // namespace lockstep::model
