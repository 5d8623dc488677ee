#include "tests/reference/layers.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "base/check.h"
#include "kernel/dropout_mask.h"

namespace lockstep::reference {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

int windows(int in, int before, int after, int kernel, int stride) {
  return (in + before + after - kernel) / stride + 1;
}

// The shape of what a convolution or a pooling writes.
template <typename Op>
model::Shape slid(const Op& op, const Tensor& x, int channels) {
  const model::Padding& p = op.padding;
  return {channels, windows(x.shape.h, p.top, p.bottom, op.kernel_h, op.stride_h),
          windows(x.shape.w, p.left, p.right, op.kernel_w, op.stride_w)};
}

// visit(row, column, i, j) for each tap (i, j) of the window at (out_row, out_column) that lies
// inside the image, at (row, column).
template <typename Op, typename Visit>
void for_each_tap(const Op& op, const Tensor& x, int out_row, int out_column, Visit visit) {
  for (int i = 0; i < op.kernel_h; ++i) {
    for (int j = 0; j < op.kernel_w; ++j) {
      const int row = out_row * op.stride_h - op.padding.top + i;
      const int column = out_column * op.stride_w - op.padding.left + j;
      const bool inside = row >= 0 && row < x.shape.h && column >= 0 && column < x.shape.w;
      if (inside) visit(row, column, i, j);
    }
  }
}

// visit(image, channel, row, column) for each element of x, in the order of memory.
template <typename Visit>
void for_each(const Tensor& x, Visit visit) {
  for (int n = 0; n < x.n; ++n) {
    for (int c = 0; c < x.shape.c; ++c) {
      for (int h = 0; h < x.shape.h; ++h) {
        for (int w = 0; w < x.shape.w; ++w) visit(n, c, h, w);
      }
    }
  }
}

// A convolution is the sum of y[a] += x[b] * weights[c] over a list of triples (a, b, c): this
// list, as visit(a, b, c). Both gradients are sums over the same list.
template <typename Visit>
void for_each_product(const model::Conv& op, const Tensor& x, const Tensor& y, Visit visit) {
  const int in_per_group = x.shape.c / op.groups;
  const int out_per_group = op.filters / op.groups;
  for_each(y, [&](int n, int filter, int out_row, int out_column) {
    const int group = filter / out_per_group;
    for (int c = 0; c < in_per_group; ++c) {
      for_each_tap(op, x, out_row, out_column, [&](int row, int column, int i, int j) {
        const int weight = ((filter * in_per_group + c) * op.kernel_h + i) * op.kernel_w + j;
        visit(y.index(n, filter, out_row, out_column),
              x.index(n, group * in_per_group + c, row, column), static_cast<std::size_t>(weight));
      });
    }
  });
}

// What flows into a bias: the sum over everything that the channel's bias was added to.
Values sum_per_channel(const Tensor& dy) {
  Values sums(static_cast<std::size_t>(dy.shape.c));
  for_each(dy, [&](int n, int c, int h, int w) {
    sums[static_cast<std::size_t>(c)] += dy.at(n, c, h, w);
  });
  return sums;
}

double values_per_channel(const Tensor& x) {
  return double(x.n) * x.shape.h * x.shape.w;
}

// The position of the maximum in the window that makes y's element, as an index of x.
std::size_t winner(const model::Pool& op, const Tensor& x, int n, int c, int out_row,
                   int out_column) {
  std::optional<std::size_t> best;
  for_each_tap(op, x, out_row, out_column, [&](int row, int column, int, int) {
    const std::size_t candidate = x.index(n, c, row, column);
    if (!best || x.values[candidate] > x.values[*best]) best = candidate;
  });
  LOCKSTEP_CHECK(best.has_value());
  return *best;
}

int taps_inside(const model::Pool& op, const Tensor& x, int out_row, int out_column) {
  int count = 0;
  for_each_tap(op, x, out_row, out_column, [&](int, int, int, int) { ++count; });
  return count;
}

// visit(neighbour) for the channels that share a sum of squares with channel c.
template <typename Visit>
void for_each_neighbour(const model::Lrn& op, const Tensor& x, int c, Visit visit) {
  const int first = std::max(c - op.radius, 0);
  const int last = std::min(c + op.radius, x.shape.c - 1);
  for (int neighbour = first; neighbour <= last; ++neighbour) visit(neighbour);
}

// bias + alpha * (sum of squares), at every element.
Tensor lrn_sums(const model::Lrn& op, const Tensor& x) {
  Tensor sums = zeros_like(x);
  for_each(x, [&](int n, int c, int h, int w) {
    double squares = 0;
    for_each_neighbour(op, x, c, [&](int k) { squares += x.at(n, k, h, w) * x.at(n, k, h, w); });
    sums.at(n, c, h, w) = double(op.bias) + double(op.alpha) * squares;
  });
  return sums;
}

double target(int label, int c, int classes, double smoothing) {
  return (c == label ? 1.0 : 0.0) * (1 - smoothing) + smoothing / classes;
}

// log(sum of exp) over the logits of image n, safe for large ones.
double log_sum_exp(const Tensor& logits, int n) {
  double largest = -kInfinity;
  for (int c = 0; c < logits.shape.c; ++c) largest = std::max(largest, logits.at(n, c, 0, 0));
  double sum = 0;
  for (int c = 0; c < logits.shape.c; ++c) sum += std::exp(logits.at(n, c, 0, 0) - largest);
  return largest + std::log(sum);
}

}  // namespace

// --- Convolution ------------------------------------------------------------------------------

Tensor conv(const model::Conv& op, const Tensor& x, const Values& weights, const Values& bias) {
  Tensor y(x.n, slid(op, x, op.filters));
  for_each_product(op, x, y, [&](std::size_t out, std::size_t in, std::size_t weight) {
    y.values[out] += x.values[in] * weights[weight];
  });
  if (!bias.empty()) {
    for_each(y, [&](int n, int c, int h, int w) {
      y.at(n, c, h, w) += bias[static_cast<std::size_t>(c)];
    });
  }
  return y;
}

Gradients conv_backward(const model::Conv& op, const Tensor& x, const Values& weights,
                        const Tensor& dy) {
  Gradients g{zeros_like(x), Values(weights.size()), sum_per_channel(dy)};
  for_each_product(op, x, dy, [&](std::size_t out, std::size_t in, std::size_t weight) {
    g.x.values[in] += dy.values[out] * weights[weight];
    g.weights[weight] += dy.values[out] * x.values[in];
  });
  return g;
}

// --- Fully connected --------------------------------------------------------------------------

Tensor dense(const model::Dense& op, const Tensor& x, const Values& weights, const Values& bias) {
  const auto features = static_cast<std::size_t>(x.shape.elements());
  Tensor y(x.n, {op.units, 1, 1});
  for_each(y, [&](int n, int unit, int, int) {
    double sum = bias.empty() ? 0 : bias[static_cast<std::size_t>(unit)];
    for (std::size_t f = 0; f < features; ++f) {
      sum += x.values[n * features + f] * weights[unit * features + f];
    }
    y.at(n, unit, 0, 0) = sum;
  });
  return y;
}

Gradients dense_backward(const model::Dense&, const Tensor& x, const Values& weights,
                         const Tensor& dy) {
  const auto features = static_cast<std::size_t>(x.shape.elements());
  Gradients g{zeros_like(x), Values(weights.size()), sum_per_channel(dy)};
  for_each(dy, [&](int n, int unit, int, int) {
    for (std::size_t f = 0; f < features; ++f) {
      g.x.values[n * features + f] += dy.at(n, unit, 0, 0) * weights[unit * features + f];
      g.weights[unit * features + f] += dy.at(n, unit, 0, 0) * x.values[n * features + f];
    }
  });
  return g;
}

// --- Batch norm -------------------------------------------------------------------------------

Moments moments(const Tensor& x) {
  const double count = values_per_channel(x);
  Moments m{sum_per_channel(x), Values(static_cast<std::size_t>(x.shape.c))};
  for (double& mean : m.mean) mean /= count;
  for_each(x, [&](int n, int c, int h, int w) {
    const auto channel = static_cast<std::size_t>(c);
    const double deviation = x.at(n, c, h, w) - m.mean[channel];
    m.variance[channel] += deviation * deviation / count;
  });
  return m;
}

void update_moving(const model::BatchNorm& op, const Tensor& x, Moments& moving) {
  const double count = values_per_channel(x);
  const double bessel = count / std::max(count - 1, 1.0);
  const Moments batch = moments(x);
  const double decay = op.decay;
  for (std::size_t c = 0; c < batch.mean.size(); ++c) {
    moving.mean[c] = decay * moving.mean[c] + (1 - decay) * batch.mean[c];
    moving.variance[c] = decay * moving.variance[c] + (1 - decay) * bessel * batch.variance[c];
  }
}

Tensor batch_norm(const model::BatchNorm& op, const Tensor& x, const Moments& by,
                  const Values& scale, const Values& shift) {
  Tensor y = zeros_like(x);
  for_each(x, [&](int n, int c, int h, int w) {
    const auto channel = static_cast<std::size_t>(c);
    const double normal =
        (x.at(n, c, h, w) - by.mean[channel]) / std::sqrt(by.variance[channel] + op.epsilon);
    y.at(n, c, h, w) = normal * (scale.empty() ? 1 : scale[channel]) + shift[channel];
  });
  return y;
}

Gradients batch_norm_backward(const model::BatchNorm& op, const Tensor& x, const Values& scale,
                              const Tensor& dy) {
  const auto channels = static_cast<std::size_t>(x.shape.c);
  const double count = values_per_channel(x);
  const Moments m = moments(x);
  const Tensor normal = batch_norm(op, x, m, {}, Values(channels));
  Gradients g{zeros_like(x), Values(channels), sum_per_channel(dy)};
  for_each(x, [&](int n, int c, int h, int w) {
    g.weights[static_cast<std::size_t>(c)] += dy.at(n, c, h, w) * normal.at(n, c, h, w);
  });
  // Besides its own way, x acts through the mean and through the variance of its channel.
  for_each(x, [&](int n, int c, int h, int w) {
    const auto channel = static_cast<std::size_t>(c);
    const double through_mean = g.bias[channel] / count;
    const double through_variance = normal.at(n, c, h, w) * g.weights[channel] / count;
    g.x.at(n, c, h, w) = (scale.empty() ? 1 : scale[channel]) /
                         std::sqrt(m.variance[channel] + op.epsilon) *
                         (dy.at(n, c, h, w) - through_mean - through_variance);
  });
  return g;
}

// --- Activations ------------------------------------------------------------------------------

Tensor activation(const model::Activation& op, const Tensor& x) {
  Tensor y = x;
  for (double& v : y.values) {
    switch (op.kind) {
      case model::Activation::Kind::relu:
        v = std::max(v, 0.0);
        break;
      case model::Activation::Kind::relu6:
        v = std::clamp(v, 0.0, 6.0);
        break;
      case model::Activation::Kind::leaky_relu:
        v = v > 0 ? v : op.slope * v;
        break;
    }
  }
  return y;
}

Tensor activation_backward(const model::Activation& op, const Tensor& x, const Tensor& dy) {
  Tensor dx = dy;
  for (std::size_t i = 0; i < x.values.size(); ++i) {
    const double v = x.values[i];
    switch (op.kind) {
      case model::Activation::Kind::relu:
        dx.values[i] *= v > 0 ? 1 : 0;
        break;
      case model::Activation::Kind::relu6:
        dx.values[i] *= v > 0 && v < 6 ? 1 : 0;
        break;
      case model::Activation::Kind::leaky_relu:
        dx.values[i] *= v > 0 ? 1 : double(op.slope);
        break;
    }
  }
  return dx;
}

// --- Pooling ----------------------------------------------------------------------------------

Tensor pool(const model::Pool& op, const Tensor& x) {
  Tensor y(x.n, slid(op, x, x.shape.c));
  for_each(y, [&](int n, int c, int out_row, int out_column) {
    double& out = y.at(n, c, out_row, out_column);
    if (op.kind == model::Pool::Kind::max) {
      out = x.values[winner(op, x, n, c, out_row, out_column)];
    } else {
      const int count = taps_inside(op, x, out_row, out_column);
      for_each_tap(op, x, out_row, out_column,
                   [&](int row, int column, int, int) { out += x.at(n, c, row, column) / count; });
    }
  });
  return y;
}

Tensor pool_backward(const model::Pool& op, const Tensor& x, const Tensor& dy) {
  Tensor dx = zeros_like(x);
  for_each(dy, [&](int n, int c, int out_row, int out_column) {
    const double gradient = dy.at(n, c, out_row, out_column);
    if (op.kind == model::Pool::Kind::max) {
      dx.values[winner(op, x, n, c, out_row, out_column)] += gradient;
    } else {
      const int count = taps_inside(op, x, out_row, out_column);
      for_each_tap(op, x, out_row, out_column, [&](int row, int column, int, int) {
        dx.at(n, c, row, column) += gradient / count;
      });
    }
  });
  return dx;
}

// --- Local response normalisation -------------------------------------------------------------

Tensor lrn(const model::Lrn& op, const Tensor& x) {
  const Tensor sums = lrn_sums(op, x);
  Tensor y = zeros_like(x);
  for (std::size_t i = 0; i < x.values.size(); ++i) {
    y.values[i] = x.values[i] * std::pow(sums.values[i], -double(op.beta));
  }
  return y;
}

Tensor lrn_backward(const model::Lrn& op, const Tensor& x, const Tensor& dy) {
  const double alpha = op.alpha;
  const double beta = op.beta;
  const Tensor sums = lrn_sums(op, x);
  Tensor dx = zeros_like(x);
  for_each(x, [&](int n, int c, int h, int w) {
    dx.at(n, c, h, w) += dy.at(n, c, h, w) * std::pow(sums.at(n, c, h, w), -beta);
    // y[c] also depends on its neighbours k through the sum of squares.
    for_each_neighbour(op, x, c, [&](int k) {
      dx.at(n, k, h, w) += dy.at(n, c, h, w) * x.at(n, c, h, w) * -beta *
                           std::pow(sums.at(n, c, h, w), -beta - 1) * alpha * 2 * x.at(n, k, h, w);
    });
  });
  return dx;
}

// --- Dropout ----------------------------------------------------------------------------------

Tensor dropout(const model::Dropout& op, const Tensor& x, const Place& place) {
  const auto features = static_cast<std::size_t>(x.shape.elements());
  const kernel::DropoutMask mask(place.seed, place.layer, place.step, features, op.keep);
  Tensor y = x;
  for (std::size_t i = 0; i < y.values.size(); ++i) {
    y.values[i] *=
        mask.keeps(place.first_sample + i / features, i % features) ? 1 / double(op.keep) : 0;
  }
  return y;
}

Tensor dropout_backward(const model::Dropout& op, const Tensor& dy, const Place& place) {
  return dropout(op, dy, place);
}

// --- Layers that only move values ---------------------------------------------------------------

Tensor concat(std::span<const Tensor* const> parts) {
  model::Shape shape = parts.front()->shape;
  shape.c = 0;
  for (const Tensor* part : parts) shape.c += part->shape.c;
  Tensor y(parts.front()->n, shape);
  int first_channel = 0;
  for (const Tensor* part : parts) {
    for_each(*part, [&](int n, int c, int h, int w) {
      y.at(n, first_channel + c, h, w) = part->at(n, c, h, w);
    });
    first_channel += part->shape.c;
  }
  return y;
}

Tensor concat_backward(const Tensor& part, int first_channel, const Tensor& dy) {
  Tensor dx = zeros_like(part);
  for_each(part, [&](int n, int c, int h, int w) {
    dx.at(n, c, h, w) = dy.at(n, first_channel + c, h, w);
  });
  return dx;
}

Tensor pad_shortcut(const model::PadShortcut& op, const Tensor& x) {
  const int before = (op.channels - x.shape.c) / 2;
  Tensor y(x.n, {op.channels, (x.shape.h + op.stride - 1) / op.stride,
                 (x.shape.w + op.stride - 1) / op.stride});
  for_each(y, [&](int n, int c, int h, int w) {
    const bool from_x = c >= before && c < before + x.shape.c;
    if (from_x) y.at(n, c, h, w) = x.at(n, c - before, h * op.stride, w * op.stride);
  });
  return y;
}

Tensor pad_shortcut_backward(const model::PadShortcut& op, const Tensor& x, const Tensor& dy) {
  const int before = (op.channels - x.shape.c) / 2;
  Tensor dx = zeros_like(x);
  for_each(x, [&](int n, int c, int h, int w) {
    const bool is_read = h % op.stride == 0 && w % op.stride == 0;
    if (is_read) dx.at(n, c, h, w) = dy.at(n, before + c, h / op.stride, w / op.stride);
  });
  return dx;
}

// --- The loss -----------------------------------------------------------------------------------

double cross_entropy(const Tensor& logits, std::span<const int> labels, double smoothing) {
  double loss = 0;
  for_each(logits, [&](int n, int c, int, int) {
    const double log_probability = logits.at(n, c, 0, 0) - log_sum_exp(logits, n);
    const int label = labels[static_cast<std::size_t>(n)];
    loss -= target(label, c, logits.shape.c, smoothing) * log_probability / logits.n;
  });
  return loss;
}

Tensor cross_entropy_backward(const Tensor& logits, std::span<const int> labels, double smoothing) {
  Tensor dx = zeros_like(logits);
  for_each(logits, [&](int n, int c, int, int) {
    const double probability = std::exp(logits.at(n, c, 0, 0) - log_sum_exp(logits, n));
    const int label = labels[static_cast<std::size_t>(n)];
    dx.at(n, c, 0, 0) = (probability - target(label, c, logits.shape.c, smoothing)) / logits.n;
  });
  return dx;
}

// --- Kinks --------------------------------------------------------------------------------------

double kink_distance(const model::Activation& op, const Tensor& x) {
  double distance = kInfinity;
  const auto consider = [&](double d) {
    if (d != 0) distance = std::min(distance, std::abs(d));
  };
  for (const double v : x.values) {
    consider(v);
    if (op.kind == model::Activation::Kind::relu6) consider(v - 6);
  }
  return distance;
}

double kink_distance(const model::Pool& op, const Tensor& x) {
  double distance = kInfinity;
  if (op.kind != model::Pool::Kind::max) return distance;
  for_each(pool(op, x), [&](int n, int c, int out_row, int out_column) {
    const double best = x.values[winner(op, x, n, c, out_row, out_column)];
    for_each_tap(op, x, out_row, out_column, [&](int row, int column, int, int) {
      const double gap = best - x.at(n, c, row, column);
      if (gap != 0) distance = std::min(distance, gap);
    });
  });
  return distance;
}

}  // namespace lockstep::reference
