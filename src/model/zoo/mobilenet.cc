#include "model/zoo/blocks.h"
#include "model/zoo/families.h"

namespace lockstep::model {
namespace {

// --- Version 2, as torchvision has it ---------------------------------------------------------
// Its layout, initial weights (He's, by fan-out; 0.01 in the classifier), batch norm and dropout.

Node conv_bn(Node x, int filters, int kernel, int stride = 1, int groups = 1) {
  return batch_norm(conv(x, filters, kernel,
                         {.stride = stride,
                          .border = Border::same_resnet,
                          .groups = groups,
                          .weights = scaled_to_fan_out(filters, kernel)}),
                    kResidualNorm);
}

Node inverted_residual(Node x, int filters, int stride, int expansion) {
  const int width = x.shape().c * expansion;
  Node y = expansion == 1 ? x : relu6(conv_bn(x, width, 1));
  y = relu6(conv_bn(y, width, 3, stride, width));
  y = conv_bn(y, filters, 1);
  return stride == 1 && x.shape().c == filters ? x + y : y;
}

void mobilenet(Node x, int classes) {
  struct Stage {
    int expansion, filters, blocks, stride;
  };
  constexpr Stage kStages[] = {{1, 16, 1, 1}, {6, 24, 2, 2},  {6, 32, 3, 2}, {6, 64, 4, 2},
                               {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1}};
  x = relu6(conv_bn(x, 32, 3, 2));
  for (const Stage& stage : kStages) {
    for (int i = 0; i < stage.blocks; ++i) {
      x = inverted_residual(x, stage.filters, i == 0 ? stage.stride : 1, stage.expansion);
    }
  }
  x = relu6(conv_bn(x, 1280, 1));
  x = dropout(global_mean(x), 0.8F);
  classify(x, classes, {.weights = {Init::Kind::normal, 0.01F}});
}

// --- Version 1, as its authors trained it -----------------------------------------------------
// Initial weights and batch norm of TensorFlow-Slim's mobilenet_v1; without its dropout, which
// keeps 0.999 of the features.

Node unit(Node x, int filters, int kernel, int stride = 1, int groups = 1) {
  x = conv(x, filters, kernel,
           {.stride = stride, .groups = groups, .weights = truncated_normal(0.09F)});
  return relu6(batch_norm(x, {.epsilon = 1e-3F, .decay = 0.9997F, .scale = true}));
}

void mobilenet_v1(Node x, int classes) {
  struct Separable {
    int filters, stride;
  };
  constexpr Separable kLayers[] = {{64, 1},  {128, 2},  {128, 1}, {256, 2}, {256, 1},
                                   {512, 2}, {512, 1},  {512, 1}, {512, 1}, {512, 1},
                                   {512, 1}, {1024, 2}, {1024, 1}};
  x = unit(x, 32, 3, 2);
  for (const Separable& layer : kLayers) {
    const int channels = x.shape().c;
    x = unit(unit(x, channels, 3, layer.stride, channels), layer.filters, 1);
  }
  classify(global_mean(x), classes, {.weights = truncated_normal(0.09F)});
}

constexpr Model kModels[] = {
    {"mobilenet", "imagenet", 224, 3, 32, kImagenetClasses, mobilenet, plain_learning_rate},
    {"mobilenet_v1", "imagenet", 224, 3, 32, kImagenetClasses, mobilenet_v1, plain_learning_rate},
};

}  // namespace

Family mobilenet_family() {
  return kModels;
}

}  // namespace lockstep::model
