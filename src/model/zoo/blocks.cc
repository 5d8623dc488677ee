#include "model/zoo/blocks.h"

#include <cmath>

namespace lockstep::model {

Init scaled_to_fan_out(int filters, int kernel) {
  return {Init::Kind::normal,
          static_cast<float>(std::sqrt(2.0 / (double(kernel) * kernel * filters)))};
}

Node conv_relu(Node x, int filters, int kernel, ConvOptions options) {
  options.bias = true;
  return relu(conv(x, filters, kernel, options));
}

Node dense_relu(Node x, int units) {
  const double deviation = std::sqrt(2.0 / double(x.shape().elements()));
  return relu(dense(x, units, {.weights = truncated_normal(static_cast<float>(deviation))}));
}

Node concat(std::initializer_list<Node> parts) {
  return concat(std::span(parts.begin(), parts.size()));
}

OwnLearningRate plain_learning_rate() {
  return {.base = 0.005F};
}

OwnLearningRate residual_learning_rate() {
  return {.base = 0.128F,
          .base_batch = 256,
          .warmup_epochs = 5,
          .decay_epochs = {30, 60, 80, 90},
          .decay_factors = {1e-1F, 1e-2F, 1e-3F, 1e-4F}};
}

}  // namespace lockstep::model
