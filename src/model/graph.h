#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace lockstep::model {

// What one image is between two layers: channels, rows, columns. A vector of features is {c, 1, 1}.
struct Shape {
  int c = 0, h = 1, w = 1;
  std::int64_t elements() const { return std::int64_t{c} * h * w; }
  bool operator==(const Shape&) const = default;
};

// How a parameter starts out. `truncated_normal` is drawn again beyond two standard deviations.
struct Init {
  enum class Kind { constant, normal, truncated_normal, uniform };
  Kind kind = Kind::constant;
  float value = 0;  // the constant, the standard deviation, or the half-width of the interval
};

struct Padding {
  int top = 0, left = 0, bottom = 0, right = 0;
  bool operator==(const Padding&) const = default;
};

// --- The layer vocabulary -------------------------------------------------------------------

struct Input {};
struct Conv {
  int filters = 0;
  int kernel_h = 1, kernel_w = 1;
  int stride_h = 1, stride_w = 1;
  Padding padding{};
  int groups = 1;  // groups == input channels == filters: depthwise
  bool bias = false;
  Init weights{}, bias_init{};
};
// Always with a shift (beta); with a scale (gamma) where `scale` says so.
struct BatchNorm {
  float epsilon = 1e-3F;
  float decay = 0.999F;  // of the moving averages
  bool scale = false;
};
struct Activation {
  enum class Kind { relu, relu6, leaky_relu };
  Kind kind = Kind::relu;
  float slope = 0;  // of leaky_relu, below zero
};
// Averages are over the pixels inside the image: padding does not count.
struct Pool {
  enum class Kind { max, average };
  Kind kind = Kind::max;
  int kernel_h = 2, kernel_w = 2;
  int stride_h = 2, stride_w = 2;
  Padding padding{};
};
// Fully connected; takes its input flattened in channel, row, column order.
struct Dense {
  int units = 0;
  bool bias = true;
  Init weights{}, bias_init{};
};
// y = x / (bias + alpha * sum of squares over 2 * radius + 1 channels) ^ beta, as TensorFlow's.
struct Lrn {
  int radius = 2;
  float alpha = 1, beta = 0.5F, bias = 1;
};
struct Dropout {
  float keep = 0.5F;
};
struct Concat {};
struct Add {};
// ResNet's parameter-free shortcut: every stride-th pixel, zero channels added on both sides.
struct PadShortcut {
  int stride = 1;
  int channels = 0;
};

using Op = std::variant<Input, Conv, BatchNorm, Activation, Pool, Dense, Lrn, Dropout, Concat, Add,
                        PadShortcut>;

struct Layer {
  std::string name;  // unique in the graph: "conv3", "batch_norm12"
  Op op;
  std::vector<int> inputs;  // indices of earlier layers
  Shape shape;              // of the output
};

// A classifier: a Dense layer's outputs against the labels. The loss is the weighted sum over the
// heads; the first head is the network's answer, others help training only.
struct Head {
  int layer = 0;
  float weight = 1;
};

// Layers in an order in which every layer stands behind its inputs.
struct Graph {
  std::string name;
  std::vector<Layer> layers;
  std::vector<Head> heads;
  float label_smoothing = 0;  // the model's own; 0 for nearly all
  int classes() const { return layers[static_cast<std::size_t>(heads.front().layer)].shape.c; }
};

// --- What a graph has to learn ---------------------------------------------------------------

struct Parameter {
  enum class Role { weights, bias, scale, shift };
  std::string name;  // "conv3/weights"
  int layer = 0;
  Role role = Role::weights;
  std::vector<int> shape;  // weights: {out, in per group, h, w} or {out, in}; others {channels}
  Init init;
  bool decays = true;  // whether weight decay applies: not to batch norm
  std::int64_t elements() const;
};

// In the order of the layers; within one: weights, bias, or scale, shift.
std::vector<Parameter> parameters(const Graph& graph);

// --- What a graph costs -----------------------------------------------------------------------

struct Cost {
  std::int64_t parameters = 0;             // trainable
  std::int64_t tensors = 0;                // trainable
  std::int64_t batch_norm_parameters = 0;  // of the trainable ones
  std::int64_t moving_statistics = 0;      // kept by batch norm, not trained
  std::int64_t macs = 0;                   // convolutions and dense layers, forward, one image
  std::int64_t conv_layers = 0;
  std::int64_t conv_outputs = 0;  // elements that convolutions write, forward, one image
};
Cost cost(const Graph& graph);
Cost cost(const Graph& graph, int layer);  // that layer's share

std::string_view kind_name(const Op& op);  // "conv", "batch_norm", ...

// --- Building -----------------------------------------------------------------------------------

// A small handle to a layer of a graph under construction; copy it freely.
class Node {
 public:
  Node(Graph& graph, int layer) : graph_(&graph), layer_(layer) {}
  Shape shape() const { return graph_->layers[static_cast<std::size_t>(layer_)].shape; }
  Graph& graph() const { return *graph_; }
  int layer() const { return layer_; }

 private:
  Graph* graph_;
  int layer_;
};

// How a window meets the border. `same` is TensorFlow's: the output is ceil(in / stride), the odd
// pixel of padding at the bottom and right. `same_resnet` pads (k - 1) / 2 at the start and the
// rest of k - 1 at the end whatever the size when the stride is over 1, and is `same` otherwise.
enum class Border { valid, same, same_resnet };

struct ConvOptions {
  int stride = 1;
  Border border = Border::same;
  bool bias = false;
  int groups = 1;
  // Without one: variance scaling over the fan-in, truncated normal.
  Init weights{Init::Kind::constant, 0};
  Init bias_init{Init::Kind::constant, 0};
};
struct PoolOptions {
  int stride = 2;
  Border border = Border::valid;
};
struct DenseOptions {
  bool bias = true;
  Init weights{Init::Kind::constant, 0};  // Without one: truncated normal, sd sqrt(1 / in).
  Init bias_init{Init::Kind::constant, 0};
};
struct BatchNormOptions {
  float epsilon = 1e-3F;
  float decay = 0.999F;
  bool scale = false;
};

// Every operator throws Error(usage) when the image is too small for it.
Node input(Graph& graph, Shape shape);
Node conv(Node x, int filters, int kernel_h, int kernel_w, const ConvOptions& options = {});
inline Node conv(Node x, int filters, int kernel, const ConvOptions& options = {}) {
  return conv(x, filters, kernel, kernel, options);
}
Node batch_norm(Node x, const BatchNormOptions& options = {});
Node relu(Node x);
Node relu6(Node x);
Node leaky_relu(Node x, float slope);
Node max_pool(Node x, int kernel, const PoolOptions& options = {});
Node average_pool(Node x, int kernel, const PoolOptions& options = {});
Node global_mean(Node x);  // average over the whole image
Node dense(Node x, int units, const DenseOptions& options = {});
Node lrn(Node x, const Lrn& options);
Node dropout(Node x, float keep);
Node concat(std::span<const Node> parts);
Node operator+(Node a, Node b);
Node pad_shortcut(Node x, int channels, int stride);

// Declares what is classified: a dense layer to `classes` outputs on top of x. The first call makes
// the network's answer, a later one an auxiliary head with its weight in the loss.
void classify(Node x, int classes, const DenseOptions& options = {}, float weight = 1);

}  // namespace lockstep::model
