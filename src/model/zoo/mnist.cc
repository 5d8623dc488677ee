#include "model/zoo/blocks.h"
#include "model/zoo/families.h"

namespace lockstep::model {
namespace {

void mnist_softmax(Node x, int classes) {
  classify(x, classes);
}

// Layers, batch size and learning rate of MXNet's example for MNIST.
void mnist_mlp(Node x, int classes) {
  x = dense_relu(x, 128);
  x = dense_relu(x, 64);
  classify(x, classes);
}

void mnist_deep(Node x, int classes) {
  constexpr Init kWeights = truncated_normal(0.1F);
  constexpr Init kBias{Init::Kind::constant, 0.1F};
  constexpr ConvOptions kConv{.weights = kWeights, .bias_init = kBias};
  constexpr DenseOptions kDense{.weights = kWeights, .bias_init = kBias};
  x = max_pool(conv_relu(x, 32, 5, kConv), 2, {.border = Border::same});
  x = max_pool(conv_relu(x, 64, 5, kConv), 2, {.border = Border::same});
  x = dropout(relu(dense(x, 1024, kDense)), 0.5F);
  classify(x, classes, kDense);
}

OwnLearningRate softmax_learning_rate() {
  return {.base = 0.5F};
}

OwnLearningRate mlp_learning_rate() {
  return {.base = 0.05F};
}

OwnLearningRate deep_learning_rate() {
  return {.base = 1e-4F};
}

constexpr Model kModels[] = {
    {"mnist_softmax", "mnist", 28, 1, 100, 10, mnist_softmax, softmax_learning_rate},
    {"mnist_mlp", "mnist", 28, 1, 64, 10, mnist_mlp, mlp_learning_rate},
    {"mnist_deep", "mnist", 28, 1, 50, 10, mnist_deep, deep_learning_rate},
};

}  // namespace

Family mnist_family() {
  return kModels;
}

}  // namespace lockstep::model
