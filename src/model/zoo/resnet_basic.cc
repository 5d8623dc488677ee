#include <array>
#include <cmath>

#include "model/zoo/blocks.h"
#include "model/zoo/families.h"

namespace lockstep::model {
namespace {

using Counts = std::array<int, 4>;  // blocks in each stage

Node conv_bn(Node x, int filters, int kernel, int stride = 1) {
  return batch_norm(conv(x, filters, kernel,
                         {.stride = stride,
                          .border = Border::same_resnet,
                          .weights = scaled_to_fan_out(filters, kernel)}),
                    kResidualNorm);
}

Node block(Node x, int width, int stride) {
  const Node shortcut = x.shape().c == width ? x : conv_bn(x, width, 1, stride);
  const Node y = relu(conv_bn(x, width, 3, stride));
  return relu(conv_bn(y, width, 3) + shortcut);
}

// As torchvision has it: windows are padded alike on all sides, initial weights are He's by
// fan-out, those and the biases of the classifier what PyTorch gives every dense layer.
template <Counts counts>
void resnet(Node x, int classes) {
  x = relu(conv_bn(x, 64, 7, 2));
  x = max_pool(x, 3, {.border = Border::same_resnet});
  for (std::size_t stage = 0; stage < counts.size(); ++stage) {
    for (int i = 0; i < counts[stage]; ++i) {
      x = block(x, 64 << stage, stage > 0 && i == 0 ? 2 : 1);
    }
  }
  x = global_mean(x);
  const Init init{Init::Kind::uniform, static_cast<float>(1 / std::sqrt(x.shape().c))};
  classify(x, classes, {.weights = init, .bias_init = init});
}

constexpr Model row(std::string_view name, void (*build)(Node, int)) {
  return {name, "imagenet", 224, 3, 64, kImagenetClasses, build, residual_learning_rate};
}

constexpr Model kModels[] = {
    row("resnet18", resnet<Counts{2, 2, 2, 2}>),
    row("resnet34", resnet<Counts{3, 4, 6, 3}>),
};

}  // namespace

Family resnet_basic_family() {
  return kModels;
}

}  // namespace lockstep::model
