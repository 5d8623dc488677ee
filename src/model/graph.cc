#include "model/graph.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/check.h"
#include "base/error.h"

namespace lockstep::model {
namespace {

constexpr std::array<std::string_view, std::variant_size_v<Op>> kKinds = {
    "input", "conv",    "batch_norm", "activation", "pool",        "dense",
    "lrn",   "dropout", "concat",     "add",        "pad_shortcut"};

int count_kind(const Graph& graph, std::size_t kind) {
  int count = 0;
  for (const Layer& layer : graph.layers) count += layer.op.index() == kind ? 1 : 0;
  return count;
}

Node append(Graph& graph, Op op, std::vector<int> inputs, Shape shape) {
  const std::size_t kind = op.index();
  std::string name = fmt::format("{}{}", kKinds[kind], count_kind(graph, kind) + 1);
  graph.layers.push_back({std::move(name), std::move(op), std::move(inputs), shape});
  return {graph, static_cast<int>(graph.layers.size()) - 1};
}

Node append(Node x, Op op, Shape shape) {
  return append(x.graph(), std::move(op), {x.layer()}, shape);
}

struct Window {
  int before, after, out;
};

// Where a window of `kernel` pixels lands on `in` pixels in one dimension.
Window slide(int in, int kernel, int stride, Border border) {
  int before = 0;
  int after = 0;
  if (border == Border::same_resnet && stride > 1) {
    before = (kernel - 1) / 2;
    after = kernel - 1 - before;
  } else if (border != Border::valid) {
    const int out = (in + stride - 1) / stride;
    const int total = std::max((out - 1) * stride + kernel - in, 0);
    before = total / 2;
    after = total - before;
  }
  return {before, after, (in + before + after - kernel) / stride + 1};
}

struct Placed {
  Padding padding;
  int h, w;
};

Placed place(const Node& x, int kernel_h, int kernel_w, int stride, Border border) {
  const Shape s = x.shape();
  const Window rows = slide(s.h, kernel_h, stride, border);
  const Window columns = slide(s.w, kernel_w, stride, border);
  if (s.h + rows.before + rows.after < kernel_h ||
      s.w + columns.before + columns.after < kernel_w) {
    throw Error(ExitCode::usage,
                fmt::format("the image is too small for {}: a {}x{} window exceeds its {}x{} input",
                            x.graph().name, kernel_h, kernel_w, s.h, s.w),
                "use a larger --image_size");
  }
  return {{rows.before, columns.before, rows.after, columns.after}, rows.out, columns.out};
}

bool unset(const Init& init) {
  return init.kind == Init::Kind::constant && init.value == 0;
}

Init scaled(double variance) {
  return {Init::Kind::truncated_normal, static_cast<float>(std::sqrt(variance))};
}

Node activation(Node x, Activation::Kind kind, float slope = 0) {
  return append(x, Activation{kind, slope}, x.shape());
}

Node pool(Node x, Pool::Kind kind, int kernel, const PoolOptions& options) {
  const Placed p = place(x, kernel, kernel, options.stride, options.border);
  return append(x, Pool{kind, kernel, kernel, options.stride, options.stride, p.padding},
                {x.shape().c, p.h, p.w});
}

}  // namespace

std::int64_t Parameter::elements() const {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

std::vector<Parameter> parameters(const Graph& graph) {
  std::vector<Parameter> out;
  for (std::size_t i = 0; i < graph.layers.size(); ++i) {
    const Layer& layer = graph.layers[i];
    const auto add = [&](const char* suffix, Parameter::Role role, std::vector<int> shape,
                         Init init, bool decays) {
      out.push_back(
          {layer.name + "/" + suffix, static_cast<int>(i), role, std::move(shape), init, decays});
    };
    const auto in = [&] {
      return graph.layers[static_cast<std::size_t>(layer.inputs.front())].shape;
    };
    if (const auto* conv = std::get_if<Conv>(&layer.op)) {
      add("weights", Parameter::Role::weights,
          {conv->filters, in().c / conv->groups, conv->kernel_h, conv->kernel_w}, conv->weights,
          true);
      if (conv->bias) add("bias", Parameter::Role::bias, {conv->filters}, conv->bias_init, true);
    } else if (const auto* dense = std::get_if<Dense>(&layer.op)) {
      add("weights", Parameter::Role::weights, {dense->units, static_cast<int>(in().elements())},
          dense->weights, true);
      if (dense->bias) add("bias", Parameter::Role::bias, {dense->units}, dense->bias_init, true);
    } else if (const auto* norm = std::get_if<BatchNorm>(&layer.op)) {
      const Init one{Init::Kind::constant, 1};
      if (norm->scale) add("scale", Parameter::Role::scale, {layer.shape.c}, one, false);
      add("shift", Parameter::Role::shift, {layer.shape.c}, Init{}, false);
    }
  }
  return out;
}

Cost cost(const Graph& graph, int index) {
  const Layer& layer = graph.layers[static_cast<std::size_t>(index)];
  const auto in = [&] {
    return graph.layers[static_cast<std::size_t>(layer.inputs.front())].shape;
  };
  Cost c;
  if (const auto* conv = std::get_if<Conv>(&layer.op)) {
    const std::int64_t weights =
        std::int64_t{conv->filters} * (in().c / conv->groups) * conv->kernel_h * conv->kernel_w;
    c.parameters = weights + (conv->bias ? conv->filters : 0);
    c.tensors = conv->bias ? 2 : 1;
    c.macs = weights * layer.shape.h * layer.shape.w;
    c.conv_layers = 1;
    c.conv_outputs = layer.shape.elements();
  } else if (const auto* dense = std::get_if<Dense>(&layer.op)) {
    c.macs = in().elements() * dense->units;
    c.parameters = c.macs + (dense->bias ? dense->units : 0);
    c.tensors = dense->bias ? 2 : 1;
  } else if (const auto* norm = std::get_if<BatchNorm>(&layer.op)) {
    c.tensors = norm->scale ? 2 : 1;
    c.parameters = c.batch_norm_parameters = c.tensors * layer.shape.c;
    c.moving_statistics = 2 * std::int64_t{layer.shape.c};
  }
  return c;
}

Cost cost(const Graph& graph) {
  Cost total;
  for (std::size_t i = 0; i < graph.layers.size(); ++i) {
    const Cost c = cost(graph, static_cast<int>(i));
    total.parameters += c.parameters;
    total.tensors += c.tensors;
    total.batch_norm_parameters += c.batch_norm_parameters;
    total.moving_statistics += c.moving_statistics;
    total.macs += c.macs;
    total.conv_layers += c.conv_layers;
    total.conv_outputs += c.conv_outputs;
  }
  return total;
}

std::string_view kind_name(const Op& op) {
  return kKinds[op.index()];
}

Node input(Graph& graph, Shape shape) {
  LOCKSTEP_CHECK(graph.layers.empty());
  return append(graph, Input{}, {}, shape);
}

Node conv(Node x, int filters, int kernel_h, int kernel_w, const ConvOptions& options) {
  const Placed p = place(x, kernel_h, kernel_w, options.stride, options.border);
  const double fan_in = double(x.shape().c) / options.groups * kernel_h * kernel_w;
  Conv op{filters,   kernel_h,       kernel_w,     options.stride,  options.stride,
          p.padding, options.groups, options.bias, options.weights, options.bias_init};
  if (unset(op.weights)) op.weights = scaled(1 / fan_in);
  return append(x, op, {filters, p.h, p.w});
}

Node batch_norm(Node x, const BatchNormOptions& options) {
  return append(x, BatchNorm{options.epsilon, options.decay, options.scale}, x.shape());
}

Node relu(Node x) {
  return activation(x, Activation::Kind::relu);
}
Node relu6(Node x) {
  return activation(x, Activation::Kind::relu6);
}
Node leaky_relu(Node x, float slope) {
  return activation(x, Activation::Kind::leaky_relu, slope);
}

Node max_pool(Node x, int kernel, const PoolOptions& options) {
  return pool(x, Pool::Kind::max, kernel, options);
}

Node average_pool(Node x, int kernel, const PoolOptions& options) {
  return pool(x, Pool::Kind::average, kernel, options);
}

Node global_mean(Node x) {
  const Shape s = x.shape();
  return append(x, Pool{Pool::Kind::average, s.h, s.w, s.h, s.w, {}}, {s.c, 1, 1});
}

Node dense(Node x, int units, const DenseOptions& options) {
  Dense op{units, options.bias, options.weights, options.bias_init};
  if (unset(op.weights)) op.weights = scaled(1.0 / double(x.shape().elements()));
  return append(x, op, {units, 1, 1});
}

Node lrn(Node x, const Lrn& options) {
  return append(x, options, x.shape());
}

Node dropout(Node x, float keep) {
  return append(x, Dropout{keep}, x.shape());
}

Node concat(std::span<const Node> parts) {
  LOCKSTEP_CHECK(!parts.empty());
  std::vector<int> inputs;
  Shape shape = parts.front().shape();
  shape.c = 0;
  for (const Node& part : parts) {
    LOCKSTEP_CHECK(part.shape().h == shape.h && part.shape().w == shape.w);
    inputs.push_back(part.layer());
    shape.c += part.shape().c;
  }
  return append(parts.front().graph(), Concat{}, std::move(inputs), shape);
}

Node operator+(Node a, Node b) {
  LOCKSTEP_CHECK(a.shape() == b.shape());
  return append(a.graph(), Add{}, {a.layer(), b.layer()}, a.shape());
}

Node pad_shortcut(Node x, int channels, int stride) {
  const Shape s = x.shape();
  return append(x, PadShortcut{stride, channels},
                {channels, (s.h + stride - 1) / stride, (s.w + stride - 1) / stride});
}

void classify(Node x, int classes, const DenseOptions& options, float weight) {
  const Node logits = dense(x, classes, options);
  x.graph().heads.push_back({logits.layer(), weight});
}

}  // namespace lockstep::model
