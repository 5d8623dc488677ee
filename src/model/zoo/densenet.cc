#include <cmath>

#include "model/zoo/blocks.h"
#include "model/zoo/families.h"

namespace lockstep::model {
namespace {

// Weights are drawn as for a 3x3 window, the 1x1 convolutions of transitions included.
Node conv_with_bias(Node x, int filters, int kernel) {
  const Init weights = truncated_normal(static_cast<float>(std::sqrt(2.0 / (9.0 * filters))));
  return conv(x, filters, kernel, {.bias = true, .weights = weights});
}

Node activate(Node x) {
  return relu(batch_norm(x, kResidualNorm));
}

Node dense_block(Node x, int layers, int growth) {
  for (int i = 0; i < layers; ++i) x = concat({x, conv_with_bias(activate(x), growth, 3)});
  return x;
}

// tf_cnn_benchmarks narrows to twice the growth here, where the paper keeps the width: its
// published sizes and speeds are those of this smaller network.
Node transition(Node x, int growth) {
  return average_pool(relu(conv_with_bias(activate(x), 2 * growth, 1)), 2);
}

template <int layers_per_block, int growth>
void densenet(Node x, int classes) {
  x = conv(x, 16, 3, {.bias = true});
  x = transition(dense_block(x, layers_per_block, growth), growth);
  x = transition(dense_block(x, layers_per_block, growth), growth);
  x = dense_block(x, layers_per_block, growth);
  classify(global_mean(activate(x)), classes);
}

OwnLearningRate learning_rate() {
  return {.base = 0.1F, .decay_epochs = {150, 225, 300}, .decay_factors = {1e-1F, 1e-2F, 1e-3F}};
}

constexpr Model row(std::string_view name, void (*build)(Node, int)) {
  return {name, "cifar10", 32, 3, 64, kCifarClasses, build, learning_rate};
}

constexpr Model kModels[] = {
    row("densenet40_k12", densenet<12, 12>),
    row("densenet100_k12", densenet<32, 12>),
    row("densenet100_k24", densenet<32, 24>),
};

}  // namespace

Family densenet_family() {
  return kModels;
}

}  // namespace lockstep::model
