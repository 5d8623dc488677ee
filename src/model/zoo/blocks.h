#pragma once

#include <initializer_list>

#include "model/graph.h"
#include "model/zoo.h"

// What several families share.
namespace lockstep::model {

// ImageNet's images carry labels 1 to 1000 and CIFAR-10's 1 to 10 in tf_cnn_benchmarks; class 0 is
// the background that no image shows.
inline constexpr int kImagenetClasses = 1001;
inline constexpr int kCifarClasses = 11;

// The batch norm of residual networks and of all that torchvision lays out.
inline constexpr BatchNormOptions kResidualNorm{.epsilon = 1e-5F, .decay = 0.9F, .scale = true};

constexpr Init truncated_normal(float deviation) {
  return {Init::Kind::truncated_normal, deviation};
}
// Normal with variance 2 / fan-out: keeps the size of gradients through a ReLU.
Init scaled_to_fan_out(int filters, int kernel);

// A convolution with a bias, and ReLU.
Node conv_relu(Node x, int filters, int kernel, ConvOptions options = {});
// A hidden dense layer: its weights make up for the half that ReLU cuts off.
Node dense_relu(Node x, int units);
Node concat(std::initializer_list<Node> parts);

OwnLearningRate plain_learning_rate();     // 0.005 throughout
OwnLearningRate residual_learning_rate();  // of residual networks for ImageNet

}  // namespace lockstep::model
