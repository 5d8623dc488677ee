#include "tests/reference/cases.h"

#include <array>
#include <cmath>
#include <map>

#include "base/check.h"
#include "base/rng.h"

namespace lockstep::reference {
namespace {

using model::Border;
using model::Node;
using model::Padding;
using model::Shape;

constexpr int kClasses = 7;

void classify(Node x) {
  model::classify(x, kClasses);
}

// Something with parameters in front of a layer, so that the gradient which the layer passes on
// shows in theirs.
Node stem(Node x, int channels) {
  return model::conv(x, channels, 3, {.bias = true});
}

// Windows that the graph builder does not make: any padding, strides that differ.
template <typename Op>
Node slide(Node x, Op op, int channels) {
  const Shape s = x.shape();
  const Padding& p = op.padding;
  const Shape out{channels, (s.h + p.top + p.bottom - op.kernel_h) / op.stride_h + 1,
                  (s.w + p.left + p.right - op.kernel_w) / op.stride_w + 1};
  model::Graph& graph = x.graph();
  graph.layers.push_back({"slide" + std::to_string(graph.layers.size()), op, {x.layer()}, out});
  return {graph, static_cast<int>(graph.layers.size()) - 1};
}

Node conv_bn(Node x, int filters, int kernel, int stride = 1) {
  return model::batch_norm(
      model::conv(x, filters, kernel, {.stride = stride, .border = Border::same_resnet}),
      {.epsilon = 1e-5F, .decay = 0.9F, .scale = true});
}

Node conv_bn_relu(Node x, int filters, int kernel, int stride = 1) {
  return model::relu(conv_bn(x, filters, kernel, stride));
}

Node bn_relu(Node x) {
  return model::relu(model::batch_norm(x, {.decay = 0.9F, .scale = true}));
}

Node concat(std::initializer_list<Node> parts) {
  return model::concat(std::vector<Node>(parts));
}

// ResNet, version 1: the activation behind the sum.
Node residual_v1(Node x, int width, int stride) {
  const Node shortcut = x.shape().c == 4 * width ? x : conv_bn(x, 4 * width, 1, stride);
  Node y = conv_bn_relu(x, width, 1);
  y = conv_bn_relu(y, width, 3, stride);
  return model::relu(conv_bn(y, 4 * width, 1) + shortcut);
}

// ResNet, version 2: normalised first, nothing behind the sum.
Node residual_v2(Node x, int width, int stride) {
  const Node first = bn_relu(x);
  const Node shortcut =
      x.shape().c == 4 * width ? x : model::conv(first, 4 * width, 1, {.stride = stride});
  Node y = conv_bn_relu(first, width, 1);
  y = conv_bn_relu(y, width, 3, stride);
  return model::conv(y, 4 * width, 1, {.bias = true}) + shortcut;
}

constexpr auto kCases = std::to_array<Case>({
    // Dense layers.
    {"softmax_on_the_image", {1, 5, 7}, 3, [](Node x) { classify(x); }},
    {"dense_on_the_image", {3, 5, 5}, 3, [](Node x) { classify(relu(dense(x, 5))); }},
    {"dense_without_bias",
     {3, 4, 5},
     3,
     [](Node x) {
       const Node y = dense(stem(x, 5), 9, {.bias = false});
       model::classify(relu(y), kClasses, {.bias = false});
     }},
    {"dense_behind_dense", {2, 3, 3}, 5, [](Node x) {
       classify(relu(dense(relu(dense(x, 16)), 20)));
     }},
    {"dense_from_one_feature", {2, 3, 3}, 3, [](Node x) {
       classify(relu(dense(relu(dense(x, 1)), 2048)));
     }},
    {"one_image", {3, 6, 6}, 1, [](Node x) { classify(dense(relu(stem(x, 8)), 5)); }},

    // Convolutions.
    {"conv_on_one_channel", {1, 7, 7}, 3, [](Node x) { classify(conv(x, 5, 5)); }},
    {"conv_on_three_channels", {3, 9, 9}, 3, [](Node x) { classify(conv(x, 16, 3)); }},
    {"conv_1x1", {3, 5, 6}, 3, [](Node x) { classify(conv(stem(x, 20), 8, 1)); }},
    {"conv_1x1_by_2", {3, 7, 6}, 3, [](Node x) {
       classify(conv(stem(x, 8), 16, 1, {.stride = 2}));
     }},
    {"conv_3x3_valid", {3, 6, 7}, 3, [](Node x) {
       classify(conv(stem(x, 16), 16, 3, {.border = Border::valid}));
     }},
    {"conv_3x3_by_2_on_even_sizes", {3, 8, 8}, 3, [](Node x) {
       classify(conv(stem(x, 8), 8, 3, {.stride = 2}));
     }},
    {"conv_3x3_by_2_padded_as_resnet", {3, 8, 8}, 3, [](Node x) {
       classify(conv(stem(x, 8), 8, 3, {.stride = 2, .border = Border::same_resnet}));
     }},
    {"conv_1x7_and_7x1", {3, 8, 7}, 2, [](Node x) {
       classify(conv(conv(conv(stem(x, 8), 16, 1, 7), 8, 7, 1), 5, 1, 7));
     }},
    {"conv_7x7_by_2", {3, 15, 15}, 2, [](Node x) {
       classify(conv(x, 8, 7, {.stride = 2, .border = Border::same_resnet}));
     }},
    {"conv_3x3_on_images_of_2x2", {3, 2, 2}, 3, [](Node x) {
       classify(conv(relu(stem(x, 16)), 16, 3, {.bias = true}));
     }},
    {"conv_3x3_on_images_of_1x1", {3, 2, 2}, 3, [](Node x) {
       classify(conv_bn_relu(max_pool(stem(x, 16), 2), 16, 3));
     }},
    {"conv_3x3_beside_a_shortcut", {3, 6, 5}, 3, [](Node x) {
       const Node y = relu(stem(x, 16));
       classify(relu(conv(y, 16, 3) + y));
     }},
    {"convs_3x3_between_other_gates", {3, 5, 7}, 3, [](Node x) {
       classify(leaky_relu(conv(relu6(stem(x, 8)), 8, 3, {.bias = true}), 0.2F));
     }},
    {"conv_with_odd_channels", {3, 5, 5}, 3, [](Node x) {
       classify(conv(relu(stem(x, 5)), 3, 3, {.bias = true}));
     }},
    {"conv_with_any_padding_and_strides", {3, 9, 8}, 2, [](Node x) {
       const model::Conv op{.filters = 6,
                            .kernel_h = 4,
                            .kernel_w = 3,
                            .stride_h = 2,
                            .stride_w = 3,
                            .padding = {2, 0, 1, 1},
                            .bias = true};
       classify(slide(stem(x, 5), op, op.filters));
     }},
    {"conv_in_two_groups", {3, 6, 5}, 3, [](Node x) {
       classify(conv(stem(x, 16), 32, 3, {.bias = true, .groups = 2}));
     }},
    {"conv_in_odd_groups", {3, 6, 5}, 3, [](Node x) {
       classify(conv(stem(x, 6), 9, 3, {.stride = 2, .groups = 3}));
     }},
    {"depthwise", {3, 7, 6}, 3, [](Node x) {
       classify(conv(stem(x, 16), 16, 3, {.groups = 16}));
     }},
    {"depthwise_by_2_on_odd_channels", {3, 7, 6}, 3, [](Node x) {
       classify(conv(stem(x, 20), 20, 3, {.stride = 2, .groups = 20}));
     }},

    // Batch norm.
    {"batch_norm", {3, 5, 5}, 3, [](Node x) { classify(batch_norm(stem(x, 8))); }},
    {"batch_norm_with_scale", {3, 5, 5}, 3, [](Node x) {
       classify(batch_norm(stem(x, 5), {.epsilon = 1e-5F, .decay = 0.9F, .scale = true}));
     }},
    {"batch_norm_relu", {3, 5, 5}, 3, [](Node x) { classify(relu(batch_norm(stem(x, 16)))); }},
    {"batch_norm_of_one_image", {3, 5, 5}, 1, [](Node x) { classify(bn_relu(stem(x, 8))); }},
    {"batch_norm_of_features", {3, 4, 4}, 5, [](Node x) {
       classify(bn_relu(dense(stem(x, 3), 10)));
     }},
    {"batch_norm_on_the_image", {3, 5, 5}, 3, [](Node x) { classify(stem(bn_relu(x), 5)); }},

    // Activations. The large pixels of the second reach beyond 6.
    {"relu", {3, 5, 5}, 3, [](Node x) { classify(relu(stem(x, 5))); }},
    {"relu6", {3, 5, 5}, 3, [](Node x) { classify(relu6(stem(x, 8))); }, 10},
    {"leaky_relu", {3, 5, 5}, 3, [](Node x) { classify(leaky_relu(stem(x, 8), 0.2F)); }},

    // Pooling.
    {"max_pool_2_by_2", {3, 6, 8}, 3, [](Node x) { classify(max_pool(stem(x, 8), 2)); }},
    {"max_pool_3_by_2_overlapping", {3, 9, 7}, 3, [](Node x) {
       classify(max_pool(relu(stem(x, 8)), 3));
     }},
    {"max_pool_3_by_2_same_on_even_sizes", {3, 8, 6}, 3, [](Node x) {
       classify(max_pool(stem(x, 5), 3, {.border = Border::same}));
     }},
    {"max_pool_3_by_1_same", {3, 5, 5}, 3, [](Node x) {
       classify(max_pool(stem(x, 16), 3, {.stride = 1, .border = Border::same}));
     }},
    {"max_pool_with_any_padding_and_strides", {3, 8, 9}, 2, [](Node x) {
       const model::Pool op{.kernel_h = 3,
                            .kernel_w = 4,
                            .stride_h = 3,
                            .stride_w = 2,
                            .padding = {2, 0, 1, 3}};
       classify(slide(stem(x, 5), op, 5));
     }},
    {"max_pool_of_a_leaky_relu", {3, 7, 7}, 3, [](Node x) {
       classify(max_pool(leaky_relu(stem(x, 8), 0.2F), 3));
     }},
    {"max_pool_of_a_relu_below_an_add", {3, 6, 8}, 3, [](Node x) {
       classify(max_pool(relu(stem(x, 8)), 2) + conv(x, 8, 1, {.stride = 2}));
     }},
    {"max_pool_of_a_relu_with_another_reader", {3, 5, 5}, 3, [](Node x) {
       const Node y = relu(stem(x, 8));
       classify(concat({max_pool(y, 3, {.stride = 1, .border = Border::same}), conv(y, 8, 1)}));
     }},
    {"max_pool_on_the_image", {3, 8, 8}, 3, [](Node x) { classify(stem(max_pool(x, 2), 5)); }},
    {"average_pool_2_by_2", {3, 6, 8}, 3, [](Node x) { classify(average_pool(stem(x, 8), 2)); }},
    {"average_pool_3_by_1_same", {3, 5, 6}, 3, [](Node x) {
       classify(average_pool(stem(x, 16), 3, {.stride = 1, .border = Border::same}));
     }},
    {"average_pool_3_by_2_same_on_even_sizes", {3, 8, 6}, 3, [](Node x) {
       classify(average_pool(stem(x, 5), 3, {.border = Border::same}));
     }},
    {"average_pool_5_by_3", {3, 11, 8}, 2, [](Node x) {
       classify(average_pool(stem(x, 8), 5, {.stride = 3}));
     }},
    {"global_mean", {3, 7, 5}, 3, [](Node x) { classify(global_mean(relu(stem(x, 20)))); }},

    // The rest of the vocabulary.
    {"lrn_radius_2", {3, 4, 5}, 3, [](Node x) {
       classify(lrn(stem(x, 8), {.radius = 2, .alpha = 0.3F, .beta = 0.75F, .bias = 2}));
     }},
    {"lrn_radius_4", {3, 4, 5}, 3, [](Node x) {
       classify(lrn(stem(x, 20), {.radius = 4, .alpha = 0.1F, .beta = 0.5F, .bias = 1}));
     }},
    {"lrn_wider_than_the_channels", {3, 4, 5}, 3, [](Node x) {
       classify(lrn(relu(stem(x, 3)), {.radius = 5, .alpha = 0.2F, .beta = 0.75F, .bias = 1}));
     }},
    {"dropout_of_features", {3, 5, 5}, 3, [](Node x) {
       classify(dropout(relu(dense(stem(x, 3), 20)), 0.5F));
     }},
    {"dropout_of_images", {3, 5, 4}, 3, [](Node x) { classify(dropout(stem(x, 5), 0.8F)); }},
    {"dropout_twice", {3, 4, 4}, 3, [](Node x) {
       classify(dropout(relu(dense(dropout(relu(dense(x, 16)), 0.7F), 16)), 0.7F));
     }},
    {"concat_5_3_8", {3, 5, 5}, 3, [](Node x) {
       const Node y = relu(stem(x, 8));
       classify(concat({conv(y, 5, 3), conv(y, 3, 1), y}));
     }},
    {"concat_of_aligned_channels", {3, 5, 5}, 3, [](Node x) {
       const Node y = relu(stem(x, 8));
       classify(relu(concat({conv(y, 16, 3), conv(y, 8, 1), conv(y, 16, 1)})));
     }},
    {"concat_of_a_layer_with_itself", {3, 4, 4}, 3, [](Node x) {
       const Node y = relu(stem(x, 5));
       classify(concat({y, y}));
     }},
    {"add", {3, 5, 5}, 3, [](Node x) { classify(relu(stem(x, 8) + conv(x, 8, 1))); }},
    {"add_of_a_layer_to_itself", {3, 4, 4}, 3, [](Node x) {
       const Node y = stem(x, 5);
       classify(relu(y + y));
     }},
    {"add_of_shared_inputs", {3, 5, 5}, 3, [](Node x) {
       const Node a = stem(x, 8);
       const Node b = relu(a);
       const Node c = conv(b, 8, 3) + a;
       classify(concat({c + b, relu(c), a}));
     }},
    {"pad_shortcut", {3, 6, 5}, 3, [](Node x) { classify(pad_shortcut(stem(x, 8), 16, 1)); }},
    {"pad_shortcut_by_2_on_odd_sizes", {3, 7, 5}, 3, [](Node x) {
       classify(pad_shortcut(stem(x, 5), 12, 2));
     }},
    {"two_heads", {3, 6, 6}, 3, [](Node x) {
       const Node y = conv_bn_relu(x, 8, 3);
       classify(global_mean(conv_bn_relu(y, 16, 3, 2)));
       model::classify(relu(dense(average_pool(y, 3), 10)), kClasses, {}, 0.4F);
     }},
    {"label_smoothing", {3, 5, 5}, 3, [](Node x) { classify(relu(stem(x, 5))); }, 1, 0.1F},

    // Chains and patterns of the zoo.
    {"relu_of_relu", {3, 5, 5}, 3, [](Node x) { classify(relu(relu(stem(x, 8)))); }},
    {"chain_of_batch_norm_relu_add", {3, 5, 5}, 3, [](Node x) {
       const Node a = bn_relu(stem(x, 8));
       const Node b = bn_relu(batch_norm(a + a));
       classify(relu(relu(b + a) + b));
     }},
    {"conv_bias_relu", {3, 6, 6}, 3, [](Node x) {
       classify(relu(conv(relu(stem(x, 16)), 20, 3, {.bias = true})));
     }},
    {"conv_bias_batch_norm", {3, 5, 5}, 3, [](Node x) {
       classify(bn_relu(conv(relu(stem(x, 8)), 16, 3, {.bias = true})));
     }},
    {"conv_batch_norm_relu", {3, 7, 7}, 3, [](Node x) {
       classify(conv_bn_relu(conv_bn_relu(x, 16, 3, 2), 8, 3));
     }},
    {"lenet", {1, 12, 12}, 3, [](Node x) {
       Node y = max_pool(relu(conv(x, 6, 5, {.bias = true})), 2);
       y = max_pool(relu(conv(y, 16, 5, {.border = Border::valid, .bias = true})), 2);
       classify(relu(dense(y, 20)));
     }},
    {"vgg", {3, 10, 10}, 2, [](Node x) {
       Node y = relu(conv(relu(conv(x, 16, 3, {.bias = true})), 16, 3, {.bias = true}));
       y = relu(conv(max_pool(y, 2), 24, 3, {.bias = true}));
       y = max_pool(relu(conv(y, 24, 3, {.bias = true})), 2);
       classify(relu(dense(y, 20)));
     }},
    {"resnet_v1", {3, 9, 9}, 2, [](Node x) {
       Node y = max_pool(conv_bn_relu(x, 8, 3), 3, {.border = Border::same});
       y = residual_v1(y, 4, 1);
       y = residual_v1(y, 4, 1);
       classify(global_mean(residual_v1(y, 8, 2)));
     }},
    {"resnet_v2", {3, 8, 8}, 2, [](Node x) {
       Node y = residual_v2(conv(x, 8, 3), 4, 1);
       y = residual_v2(y, 4, 1);
       classify(global_mean(bn_relu(residual_v2(y, 8, 2))));
     }},
    {"resnet_cifar_with_padded_shortcuts", {3, 8, 8}, 2, [](Node x) {
       Node y = conv_bn_relu(x, 8, 3);
       y = relu(conv_bn(conv_bn_relu(y, 8, 3), 8, 3) + y);
       y = relu(conv_bn(conv_bn_relu(y, 16, 3, 2), 16, 3) + pad_shortcut(y, 16, 2));
       classify(global_mean(y));
     }},
    {"inception", {3, 7, 7}, 2, [](Node x) {
       const Node y = conv_bn_relu(x, 16, 3);
       const Node pooled = average_pool(y, 3, {.stride = 1, .border = Border::same});
       const Node mixed = concat({conv_bn_relu(y, 8, 1),
                                  conv_bn_relu(conv_bn_relu(y, 5, 1), 8, 5),
                                  conv_bn_relu(conv_bn_relu(y, 8, 1), 20, 3),
                                  conv_bn_relu(pooled, 3, 1)});
       const model::ConvOptions halve{.stride = 2, .border = Border::valid};
       classify(global_mean(concat({max_pool(mixed, 3), bn_relu(conv(mixed, 16, 3, halve)),
                                    conv(conv_bn_relu(mixed, 8, 1), 5, 3, halve)})));
     }},
    {"inception_with_split_branches", {3, 5, 5}, 2, [](Node x) {
       const Node y = conv_bn_relu(x, 8, 1);
       const Node wide = relu(batch_norm(conv(y, 8, 1, 3)));
       const Node high = relu(batch_norm(conv(y, 8, 3, 1)));
       classify(global_mean(concat({concat({wide, high}), y})));
     }},
    {"densenet", {3, 8, 8}, 2, [](Node x) {
       Node y = conv(x, 10, 3);
       for (int i = 0; i < 3; ++i) y = concat({y, conv(bn_relu(y), 6, 3)});
       y = average_pool(conv(bn_relu(y), 28, 1), 2);
       y = concat({y, dropout(conv(bn_relu(y), 6, 3), 0.8F)});
       classify(global_mean(bn_relu(y)));
     }},
    {"mobilenet", {3, 8, 8}, 2, [](Node x) {
       const auto expand = [](Node y, int filters, int stride) {
         const int wide = 6 * y.shape().c;
         y = relu6(batch_norm(conv(y, wide, 1)));
         y = relu6(batch_norm(conv(y, wide, 3, {.stride = stride, .groups = wide})));
         return batch_norm(conv(y, filters, 1));
       };
       Node y = relu6(batch_norm(conv(x, 4, 3, {.stride = 2})));
       y = y + expand(y, 4, 1);
       classify(global_mean(relu6(expand(y, 5, 2))));
     }},
    {"alexnet", {3, 35, 35}, 2, [](Node x) {
       const model::Lrn normalise{.radius = 4, .alpha = 0.001F / 9, .beta = 0.75F, .bias = 1};
       Node y = relu(conv(x, 16, 11, {.stride = 4, .bias = true}));
       y = max_pool(lrn(y, normalise), 3);
       y = relu(conv(y, 32, 5, {.bias = true, .groups = 2}));
       y = max_pool(lrn(y, normalise), 3, {.border = Border::same});
       y = dropout(relu(dense(y, 20)), 0.5F);
       classify(dropout(relu(dense(y, 20)), 0.5F));
     }},
});

// Small enough that finite differences and rounding in float stay on their side of every kink,
// large enough that a few attempts find one.
constexpr double kClearOfKinks = 1e-4;

Values draw_values(const Rng& rng, std::int64_t count, double centre, double deviation) {
  Values values;
  for (std::int64_t i = 0; i < count; ++i) {
    values.push_back(
        static_cast<float>(centre + deviation * rng.normal(static_cast<std::uint64_t>(i))));
  }
  return values;
}

Values draw_parameter(const Rng& rng, const model::Parameter& p) {
  switch (p.role) {
    case model::Parameter::Role::weights:
      return draw_values(rng, p.elements(), 0,
                         std::sqrt(2.0 * p.shape.front() / double(p.elements())));
    case model::Parameter::Role::scale:
      return draw_values(rng, p.elements(), 1, 0.3);
    case model::Parameter::Role::bias:
    case model::Parameter::Role::shift:
      return draw_values(rng, p.elements(), 0, 0.3);
  }
  return {};
}

Problem draw(const Case& c, const Rng& rng) {
  Problem problem{build(c), {}, {Tensor(c.batch, c.image), {}}, {}};
  problem.settings.label_smoothing = c.label_smoothing;
  problem.batch.step = 3;
  problem.batch.first_sample = 40;
  for (const model::Parameter& p : model::parameters(problem.graph)) {
    problem.parameters.push_back(draw_parameter(rng.stream(problem.parameters.size()), p));
  }
  const Rng pixels = rng.stream(1000);
  for (std::size_t i = 0; i < problem.batch.images.values.size(); ++i) {
    problem.batch.images.values[i] =
        static_cast<float>(c.image_scale * (2 * pixels.uniform(i) - 1));
  }
  const Rng labels = rng.stream(1001);
  const auto classes = static_cast<std::uint64_t>(problem.graph.classes());
  for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(c.batch); ++i) {
    problem.batch.labels.push_back(static_cast<int>(labels.bits(i) % classes));
  }
  return problem;
}

Problem draw_clear_of_kinks(const Case& c) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Problem problem = draw(c, Rng(seed));
    Network probe = network(problem);
    probe.forward(problem.batch);
    if (probe.kink_distance() > kClearOfKinks) return problem;
  }
  LOCKSTEP_CHECK(!"some draw is clear of kinks");
  return {};
}

}  // namespace

std::span<const Case> cases() {
  return kCases;
}

std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << c.name;
}

model::Graph build(const Case& c) {
  model::Graph graph;
  graph.name = c.name;
  c.build(model::input(graph, c.image));
  return graph;
}

const Problem& draw(const Case& c) {
  static std::map<std::string_view, Problem> drawn;
  const auto known = drawn.find(c.name);
  if (known != drawn.end()) return known->second;
  return drawn.emplace(c.name, draw_clear_of_kinks(c)).first->second;
}

Network network(const Problem& problem) {
  Network network(problem.graph, problem.settings);
  network.parameters() = problem.parameters;
  return network;
}

}  // namespace lockstep::reference
