#include "model/zoo/blocks.h"
#include "model/zoo/families.h"

namespace lockstep::model {
namespace {

// How every convolution of the network is made: with batch norm and ReLU behind it.
struct Recipe {
  BatchNormOptions norm;
  Init weights;

  Node conv(Node x, int filters, int kernel_h, int kernel_w, ConvOptions options = {}) const {
    options.weights = weights;
    return relu(batch_norm(model::conv(x, filters, kernel_h, kernel_w, options), norm));
  }
  Node conv(Node x, int filters, int kernel, const ConvOptions& options = {}) const {
    return conv(x, filters, kernel, kernel, options);
  }
  Node halve(Node x, int filters) const {
    return conv(x, filters, 3, {.stride = 2, .border = Border::valid});
  }
};

constexpr PoolOptions kSameSize{.stride = 1, .border = Border::same};

Node block_a(const Recipe& net, Node x, int projection) {
  const Node one = net.conv(x, 64, 1);
  const Node five = net.conv(net.conv(x, 48, 1), 64, 5);
  const Node threes = net.conv(net.conv(net.conv(x, 64, 1), 96, 3), 96, 3);
  const Node pooled = net.conv(average_pool(x, 3, kSameSize), projection, 1);
  return concat({one, five, threes, pooled});
}

Node block_b(const Recipe& net, Node x) {
  const Node three = net.halve(x, 384);
  const Node threes = net.halve(net.conv(net.conv(x, 64, 1), 96, 3), 96);
  return concat({three, threes, max_pool(x, 3)});
}

Node block_c(const Recipe& net, Node x, int width) {
  const Node one = net.conv(x, 192, 1);
  const Node seven = net.conv(net.conv(net.conv(x, width, 1), width, 1, 7), 192, 7, 1);
  Node sevens = net.conv(net.conv(x, width, 1), width, 7, 1);
  sevens = net.conv(net.conv(sevens, width, 1, 7), width, 7, 1);
  sevens = net.conv(sevens, 192, 1, 7);
  const Node pooled = net.conv(average_pool(x, 3, kSameSize), 192, 1);
  return concat({one, seven, sevens, pooled});
}

Node block_d(const Recipe& net, Node x) {
  const Node three = net.halve(net.conv(x, 192, 1), 320);
  const Node seven = net.conv(net.conv(net.conv(x, 192, 1), 192, 1, 7), 192, 7, 1);
  return concat({three, net.halve(seven, 192), max_pool(x, 3)});
}

Node block_e(const Recipe& net, Node x, Pool::Kind kind) {
  const Node one = net.conv(x, 320, 1);
  const Node short_arm = net.conv(x, 384, 1);
  const Node long_arm = net.conv(net.conv(x, 448, 1), 384, 3);
  const Node pooled =
      kind == Pool::Kind::max ? max_pool(x, 3, kSameSize) : average_pool(x, 3, kSameSize);
  return concat({one, net.conv(short_arm, 384, 1, 3), net.conv(short_arm, 384, 3, 1),
                 net.conv(long_arm, 384, 1, 3), net.conv(long_arm, 384, 3, 1),
                 net.conv(pooled, 192, 1)});
}

// From the image to the last block C, where the auxiliary head branches off.
Node lower_part(const Recipe& net, Node x) {
  x = net.halve(x, 32);
  x = net.conv(x, 32, 3, {.border = Border::valid});
  x = max_pool(net.conv(x, 64, 3), 3);
  x = net.conv(x, 80, 1);
  x = max_pool(net.conv(x, 192, 3, {.border = Border::valid}), 3);
  for (const int projection : {32, 64, 64}) x = block_a(net, x, projection);
  x = block_b(net, x);
  for (const int width : {128, 160, 160, 192}) x = block_c(net, x, width);
  return x;
}

// The mean over the image is the 8x8 pooling of the original at its own image size.
Node upper_part(const Recipe& net, Node x, Pool::Kind last_pool) {
  x = block_e(net, block_d(net, x), Pool::Kind::average);
  return global_mean(block_e(net, x, last_pool));
}

void auxiliary_head(const Recipe& net, Node x, int classes) {
  x = net.conv(average_pool(x, 5, {.stride = 3}), 128, 1);
  // A window as large as the image: 5x5 at the model's own image size.
  const Recipe narrow{net.norm, truncated_normal(0.01F)};
  x = narrow.conv(x, 768, x.shape().h, x.shape().w, {.border = Border::valid});
  classify(x, classes, {.weights = truncated_normal(0.001F)}, 0.4F);
}

void inception3(Node x, int classes) {
  const Recipe net;
  classify(upper_part(net, lower_part(net, x), Pool::Kind::max), classes);
}

// As in the scalability comparisons of 2016, with its own training recipe.
void inception3_aux(Node x, int classes) {
  const Recipe net{.norm = {.decay = 0.9997F}, .weights = truncated_normal(0.1F)};
  x.graph().label_smoothing = 0.1F;
  const Node lower = lower_part(net, x);
  const Node upper = upper_part(net, lower, Pool::Kind::average);
  classify(dropout(upper, 0.8F), classes, {.weights = truncated_normal(0.01F)});
  auxiliary_head(net, lower, classes);
}

OwnLearningRate aux_learning_rate() {
  return {.base = 0.045F, .step_epochs = 2, .step_factor = 0.94F};
}

constexpr Model kModels[] = {
    {"inception3", "imagenet", 299, 3, 32, kImagenetClasses, inception3, plain_learning_rate},
    {"inception3_aux", "imagenet", 299, 3, 32, kImagenetClasses, inception3_aux, aux_learning_rate},
};

}  // namespace

Family inception3_family() {
  return kModels;
}

}  // namespace lockstep::model
