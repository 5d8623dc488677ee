#include "model/zoo/blocks.h"
#include "model/zoo/families.h"

namespace lockstep::model {
namespace {

struct Filters {
  int one;                  // 1x1
  int reduce_three, three;  // 1x1, then 3x3
  int reduce_five, five;    // 1x1, then 5x5
  int projection;           // max pool, then 1x1
};

Node module(Node x, const Filters& filters) {
  const Node one = conv_relu(x, filters.one, 1);
  const Node three = conv_relu(conv_relu(x, filters.reduce_three, 1), filters.three, 3);
  const Node five = conv_relu(conv_relu(x, filters.reduce_five, 1), filters.five, 5);
  const Node pooled = max_pool(x, 3, {.stride = 1, .border = Border::same});
  return concat({one, three, five, conv_relu(pooled, filters.projection, 1)});
}

Node halve(Node x) {
  return max_pool(x, 3, {.border = Border::same});
}

// Without batch norm, dropout and auxiliary heads.
void googlenet(Node x, int classes) {
  x = halve(conv_relu(x, 64, 7, {.stride = 2}));
  x = conv_relu(x, 64, 1);
  x = halve(conv_relu(x, 192, 3));
  x = module(x, {64, 96, 128, 16, 32, 32});
  x = module(x, {128, 128, 192, 32, 96, 64});
  x = halve(x);
  x = module(x, {192, 96, 208, 16, 48, 64});
  x = module(x, {160, 112, 224, 24, 64, 64});
  x = module(x, {128, 128, 256, 24, 64, 64});
  x = module(x, {112, 144, 288, 32, 64, 64});
  x = module(x, {256, 160, 320, 32, 128, 128});
  x = halve(x);
  x = module(x, {256, 160, 320, 32, 128, 128});
  x = module(x, {384, 192, 384, 48, 128, 128});
  classify(global_mean(x), classes);
}

constexpr Model kModels[] = {
    {"googlenet", "imagenet", 224, 3, 32, kImagenetClasses, googlenet, plain_learning_rate},
};

}  // namespace

Family googlenet_family() {
  return kModels;
}

}  // namespace lockstep::model
