#include <array>
#include <cmath>

#include "model/zoo/blocks.h"
#include "model/zoo/families.h"

namespace lockstep::model {
namespace {

Node plain_conv(Node x, int filters, int kernel, int stride = 1) {
  return conv(x, filters, kernel,
              {.stride = stride, .weights = scaled_to_fan_out(filters, kernel)});
}

Node activate(Node x) {
  return leaky_relu(batch_norm(x, {.epsilon = 1e-3F, .decay = 0.9F, .scale = true}), 0.1F);
}

// A projection starts from the activated input in the first block of the network only.
Node block(Node x, int width, int stride, bool first) {
  const int depth = 4 * width;
  const Node active = activate(x);
  const Node shortcut = x.shape().c == depth ? x : plain_conv(first ? active : x, depth, 1, stride);
  Node y = plain_conv(active, width, 1, stride);
  y = plain_conv(activate(y), width, 3);
  return plain_conv(activate(y), depth, 1) + shortcut;
}

// ResNet-152 of the scalability comparisons of 2016: pre-activated, leaky, and the first stage
// strides where others pool.
void resnet152_ab(Node x, int classes) {
  constexpr std::array<int, 4> kCounts{3, 8, 36, 3};
  x = plain_conv(x, 64, 7, 2);
  for (std::size_t stage = 0; stage < kCounts.size(); ++stage) {
    for (int i = 0; i < kCounts[stage]; ++i) {
      x = block(x, 64 << stage, i == 0 ? 2 : 1, stage == 0 && i == 0);
    }
  }
  x = global_mean(activate(x));
  const auto unit_scaling = static_cast<float>(std::sqrt(3.0 / x.shape().c));
  classify(x, classes, {.weights = {Init::Kind::uniform, unit_scaling}});
}

OwnLearningRate learning_rate() {
  return {.base = 0.5F};
}

constexpr Model kModels[] = {
    {"resnet152_ab", "imagenet", 224, 3, 256, 1000, resnet152_ab, learning_rate, 2e-4},
};

}  // namespace

Family resnet_ab_family() {
  return kModels;
}

}  // namespace lockstep::model
