#include "model/zoo/blocks.h"
#include "model/zoo/families.h"

namespace lockstep::model {
namespace {

void overfeat(Node x, int classes) {
  x = max_pool(conv_relu(x, 96, 11, {.stride = 4, .border = Border::valid}), 2);
  x = max_pool(conv_relu(x, 256, 5, {.border = Border::valid}), 2);
  x = conv_relu(x, 512, 3);
  x = conv_relu(x, 1024, 3);
  x = max_pool(conv_relu(x, 1024, 3), 2);
  x = dropout(dense_relu(x, 3072), 0.5F);
  x = dropout(dense_relu(x, 4096), 0.5F);
  classify(x, classes);
}

constexpr Model kModels[] = {
    {"overfeat", "imagenet", 231, 3, 32, kImagenetClasses, overfeat, plain_learning_rate},
};

}  // namespace

Family overfeat_family() {
  return kModels;
}

}  // namespace lockstep::model
