#include "model/zoo/blocks.h"
#include "model/zoo/families.h"

namespace lockstep::model {
namespace {

enum class Version { v1, v2 };

Node conv_bn(Node x, int filters, int stride = 1) {
  return batch_norm(conv(x, filters, 3, {.stride = stride}), kResidualNorm);
}

Node shortcut(Node x, int width, int stride) {
  return x.shape().c == width ? x : pad_shortcut(x, width, stride);
}

Node block(Node x, int width, int stride) {
  const Node y = conv_bn(relu(conv_bn(x, width, stride)), width);
  return relu(y + shortcut(x, width, stride));
}

// The batch norm in front is the plain one, without a scale.
Node preactivated_block(Node x, int width, int stride) {
  const Node y = conv(relu(conv_bn(relu(batch_norm(x)), width, stride)), width, 3);
  return y + shortcut(x, width, stride);
}

template <int blocks_per_stage, Version version>
void resnet(Node x, int classes) {
  x = conv_bn(x, 16);
  if (version == Version::v2) x = relu(x);
  for (const int width : {16, 32, 64}) {
    for (int i = 0; i < blocks_per_stage; ++i) {
      const int stride = width > 16 && i == 0 ? 2 : 1;
      x = version == Version::v2 ? preactivated_block(x, width, stride) : block(x, width, stride);
    }
  }
  if (version == Version::v2) x = relu(batch_norm(x));
  classify(global_mean(x), classes);
}

OwnLearningRate learning_rate() {
  return {.base = 0.1F, .decay_epochs = {82, 123, 300}, .decay_factors = {1e-1F, 1e-2F, 2e-3F}};
}

constexpr Model row(std::string_view name, void (*build)(Node, int)) {
  return {name, "cifar10", 32, 3, 128, kCifarClasses, build, learning_rate};
}

constexpr Model kModels[] = {
    row("resnet20", resnet<3, Version::v1>),   row("resnet20_v2", resnet<3, Version::v2>),
    row("resnet32", resnet<5, Version::v1>),   row("resnet32_v2", resnet<5, Version::v2>),
    row("resnet44", resnet<7, Version::v1>),   row("resnet44_v2", resnet<7, Version::v2>),
    row("resnet56", resnet<9, Version::v1>),   row("resnet56_v2", resnet<9, Version::v2>),
    row("resnet110", resnet<18, Version::v1>), row("resnet110_v2", resnet<18, Version::v2>),
};

}  // namespace

Family resnet_cifar_family() {
  return kModels;
}

}  // namespace lockstep::model
