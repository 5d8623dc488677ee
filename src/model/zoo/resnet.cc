#include <array>

#include "model/zoo/blocks.h"
#include "model/zoo/families.h"

namespace lockstep::model {
namespace {

using Counts = std::array<int, 4>;  // blocks in each stage
constexpr Counts k50{3, 4, 6, 3};
constexpr Counts k101{3, 4, 23, 3};
constexpr Counts k152{3, 8, 36, 3};

// v1 strides in the first 1x1 convolution of a block, v1.5 in the 3x3 one. v2 strides like v1 and
// puts batch norm and ReLU before the convolutions.
enum class Version { v1, v1_5, v2 };

Node conv_bn(Node x, int filters, int kernel, int stride = 1) {
  return batch_norm(conv(x, filters, kernel, {.stride = stride, .border = Border::same_resnet}),
                    kResidualNorm);
}

Node block(Node x, int width, int stride, Version version) {
  const int depth = 4 * width;
  const int early_stride = version == Version::v1 ? stride : 1;
  const int late_stride = version == Version::v1 ? 1 : stride;
  const Node shortcut = x.shape().c == depth ? x : conv_bn(x, depth, 1, stride);
  Node y = relu(conv_bn(x, width, 1, early_stride));
  y = relu(conv_bn(y, width, 3, late_stride));
  return relu(conv_bn(y, depth, 1) + shortcut);
}

// The batch norm in front is the plain one, without a scale.
Node preactivated_block(Node x, int width, int stride) {
  const int depth = 4 * width;
  const Node active = relu(batch_norm(x));
  const Node shortcut = x.shape().c == depth ? x : conv(active, depth, 1, {.stride = stride});
  Node y = relu(conv_bn(active, width, 1, stride));
  y = relu(conv_bn(y, width, 3));
  return conv(y, depth, 1) + shortcut;
}

template <Counts counts, Version version>
void resnet(Node x, int classes) {
  x = relu(conv_bn(x, 64, 7, 2));
  x = max_pool(x, 3, {.border = Border::same});
  for (std::size_t stage = 0; stage < counts.size(); ++stage) {
    const int width = 64 << stage;
    for (int i = 0; i < counts[stage]; ++i) {
      const int stride = stage > 0 && i == 0 ? 2 : 1;
      x = version == Version::v2 ? preactivated_block(x, width, stride)
                                 : block(x, width, stride, version);
    }
  }
  if (version == Version::v2) x = relu(batch_norm(x));
  classify(global_mean(x), classes);
}

constexpr Model row(std::string_view name, int batch_size, void (*build)(Node, int)) {
  return {name, "imagenet", 224, 3, batch_size, kImagenetClasses, build, residual_learning_rate};
}

constexpr Model kModels[] = {
    row("resnet50", 64, resnet<k50, Version::v1>),
    row("resnet50_v1.5", 64, resnet<k50, Version::v1_5>),
    row("resnet50_v2", 64, resnet<k50, Version::v2>),
    row("resnet101", 32, resnet<k101, Version::v1>),
    row("resnet101_v1.5", 32, resnet<k101, Version::v1_5>),
    row("resnet101_v2", 32, resnet<k101, Version::v2>),
    row("resnet152", 32, resnet<k152, Version::v1>),
    row("resnet152_v1.5", 32, resnet<k152, Version::v1_5>),
    row("resnet152_v2", 32, resnet<k152, Version::v2>),
};

}  // namespace

Family resnet_family() {
  return kModels;
}

}  // namespace lockstep::model
