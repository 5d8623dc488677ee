#include <algorithm>
#include <array>

#include "model/zoo/blocks.h"
#include "model/zoo/families.h"

namespace lockstep::model {
namespace {

using Counts = std::array<int, 5>;  // convolutions before each pooling

void vgg(Node x, int classes, const Counts& counts) {
  int filters = 64;
  for (const int count : counts) {
    for (int i = 0; i < count; ++i) x = conv_relu(x, filters, 3);
    x = max_pool(x, 2);
    filters = std::min(2 * filters, 512);
  }
  x = dropout(dense_relu(x, 4096), 0.5F);
  x = dropout(dense_relu(x, 4096), 0.5F);
  classify(x, classes);
}

template <Counts counts>
void build(Node x, int classes) {
  vgg(x, classes, counts);
}

constexpr Model row(std::string_view name, void (*build)(Node, int)) {
  return {name, "imagenet", 224, 3, 64, kImagenetClasses, build, plain_learning_rate};
}

constexpr Model kModels[] = {
    row("vgg11", build<Counts{1, 1, 2, 2, 2}>),
    row("vgg16", build<Counts{2, 2, 3, 3, 3}>),
    row("vgg19", build<Counts{2, 2, 4, 4, 4}>),
};

}  // namespace

Family vgg_family() {
  return kModels;
}

}  // namespace lockstep::model
