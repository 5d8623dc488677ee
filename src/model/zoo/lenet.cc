#include "model/zoo/blocks.h"
#include "model/zoo/families.h"

namespace lockstep::model {
namespace {

void lenet(Node x, int classes) {
  x = max_pool(conv_relu(x, 32, 5), 2);
  x = max_pool(conv_relu(x, 64, 5), 2);
  classify(dense_relu(x, 512), classes);
}

// Small images under ImageNet's name, as in tf_cnn_benchmarks.
constexpr Model kModels[] = {
    {"lenet", "imagenet", 28, 3, 32, kImagenetClasses, lenet, plain_learning_rate},
};

}  // namespace

Family lenet_family() {
  return kModels;
}

}  // namespace lockstep::model
