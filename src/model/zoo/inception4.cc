#include "model/zoo/blocks.h"
#include "model/zoo/families.h"

namespace lockstep::model {
namespace {

Node unit(Node x, int filters, int kernel_h, int kernel_w, const ConvOptions& options = {}) {
  return relu(batch_norm(conv(x, filters, kernel_h, kernel_w, options)));
}
Node unit(Node x, int filters, int kernel, const ConvOptions& options = {}) {
  return unit(x, filters, kernel, kernel, options);
}
Node halve(Node x, int filters) {
  return unit(x, filters, 3, {.stride = 2, .border = Border::valid});
}
Node pooled_unit(Node x, int filters) {
  return unit(average_pool(x, 3, {.stride = 1, .border = Border::same}), filters, 1);
}

Node stem(Node x) {
  constexpr ConvOptions kValid{.border = Border::valid};
  x = unit(unit(halve(x, 32), 32, 3, kValid), 64, 3);
  x = concat({max_pool(x, 3), halve(x, 96)});
  const Node three = unit(unit(x, 64, 1), 96, 3, kValid);
  const Node seven = unit(unit(unit(x, 64, 1), 64, 7, 1), 64, 1, 7);
  x = concat({three, unit(seven, 96, 3, kValid)});
  return concat({halve(x, 192), max_pool(x, 3)});
}

Node block_a(Node x) {
  const Node one = unit(x, 96, 1);
  const Node three = unit(unit(x, 64, 1), 96, 3);
  const Node threes = unit(unit(unit(x, 64, 1), 96, 3), 96, 3);
  return concat({pooled_unit(x, 96), one, three, threes});
}

Node reduction_a(Node x) {
  const Node three = halve(x, 384);
  const Node threes = halve(unit(unit(x, 192, 1), 224, 3), 256);
  return concat({max_pool(x, 3), three, threes});
}

Node block_b(Node x) {
  const Node one = unit(x, 384, 1);
  const Node seven = unit(unit(unit(x, 192, 1), 224, 1, 7), 256, 7, 1);
  Node sevens = unit(unit(unit(x, 192, 1), 192, 1, 7), 224, 7, 1);
  sevens = unit(unit(sevens, 224, 1, 7), 256, 7, 1);
  return concat({pooled_unit(x, 128), one, seven, sevens});
}

Node reduction_b(Node x) {
  const Node three = halve(unit(x, 192, 1), 192);
  const Node seven = unit(unit(unit(x, 256, 1), 256, 1, 7), 320, 7, 1);
  return concat({max_pool(x, 3), three, halve(seven, 320)});
}

Node block_c(Node x) {
  const Node one = unit(x, 256, 1);
  const Node short_arm = unit(x, 384, 1);
  const Node long_arm = unit(unit(unit(x, 384, 1), 448, 1, 3), 512, 3, 1);
  return concat({pooled_unit(x, 256), one, unit(short_arm, 256, 1, 3), unit(short_arm, 256, 3, 1),
                 unit(long_arm, 256, 3, 1), unit(long_arm, 256, 1, 3)});
}

void inception4(Node x, int classes) {
  x = stem(x);
  for (int i = 0; i < 4; ++i) x = block_a(x);
  x = reduction_a(x);
  for (int i = 0; i < 7; ++i) x = block_b(x);
  x = reduction_b(x);
  for (int i = 0; i < 3; ++i) x = block_c(x);
  classify(dropout(global_mean(x), 0.8F), classes);
}

constexpr Model kModels[] = {
    {"inception4", "imagenet", 299, 3, 32, kImagenetClasses, inception4, plain_learning_rate},
};

}  // namespace

Family inception4_family() {
  return kModels;
}

}  // namespace lockstep::model
