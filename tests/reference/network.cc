#include "tests/reference/network.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/check.h"

namespace lockstep::reference {
namespace {

using Role = model::Parameter::Role;

template <typename... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <typename... F>
Overloaded(F...) -> Overloaded<F...>;

void add_to(Tensor& sum, const Tensor& term, double factor = 1) {
  LOCKSTEP_CHECK(sum.values.size() == term.values.size());
  for (std::size_t i = 0; i < sum.values.size(); ++i) sum.values[i] += factor * term.values[i];
}

}  // namespace

Network::Network(model::Graph graph, const Settings& settings)
    : graph_(std::move(graph)), settings_(settings), described_(model::parameters(graph_)) {
  for (const model::Parameter& p : described_) {
    parameters_.emplace_back(static_cast<std::size_t>(p.elements()));
  }
  for (const model::Layer& layer : graph_.layers) {
    moving_of_layer_.push_back(moving_.size());
    if (std::holds_alternative<model::BatchNorm>(layer.op)) {
      const auto channels = static_cast<std::size_t>(layer.shape.c);
      moving_.push_back({Values(channels, 0.0), Values(channels, 1.0)});
    }
  }
}

const Values& Network::parameter(int layer, Role role) const {
  static const Values none;
  for (std::size_t i = 0; i < described_.size(); ++i) {
    if (described_[i].layer == layer && described_[i].role == role) return parameters_[i];
  }
  return none;
}

const Tensor& Network::input(int layer) const {
  return output(graph_.layers[static_cast<std::size_t>(layer)].inputs.front());
}

Place Network::place(int layer) const {
  return {settings_.seed, static_cast<std::uint64_t>(layer), batch_.step, batch_.first_sample};
}

Tensor Network::run(int i) {
  const model::Layer& layer = graph_.layers[static_cast<std::size_t>(i)];
  return std::visit(
      Overloaded{
          [&](const model::Input&) { return batch_.images; },
          [&](const model::Conv& op) {
            return conv(op, input(i), parameter(i, Role::weights), parameter(i, Role::bias));
          },
          [&](const model::Dense& op) {
            return dense(op, input(i), parameter(i, Role::weights), parameter(i, Role::bias));
          },
          [&](const model::BatchNorm& op) {
            Moments& moving = moving_[moving_of_layer_[static_cast<std::size_t>(i)]];
            if (settings_.training) update_moving(op, input(i), moving);
            return batch_norm(op, input(i), settings_.training ? moments(input(i)) : moving,
                              parameter(i, Role::scale), parameter(i, Role::shift));
          },
          [&](const model::Activation& op) { return activation(op, input(i)); },
          [&](const model::Pool& op) { return pool(op, input(i)); },
          [&](const model::Lrn& op) { return lrn(op, input(i)); },
          [&](const model::Dropout& op) {
            return settings_.training ? dropout(op, input(i), place(i)) : input(i);
          },
          [&](const model::Concat&) {
            std::vector<const Tensor*> parts;
            for (const int part : layer.inputs) parts.push_back(&output(part));
            return concat(parts);
          },
          [&](const model::Add&) {
            Tensor sum = zeros_like(input(i));
            for (const int term : layer.inputs) add_to(sum, output(term));
            return sum;
          },
          [&](const model::PadShortcut& op) { return pad_shortcut(op, input(i)); },
      },
      layer.op);
}

double Network::forward(const Batch& batch) {
  batch_ = batch;
  outputs_.clear();
  for (std::size_t i = 0; i < graph_.layers.size(); ++i) {
    outputs_.push_back(run(static_cast<int>(i)));
    LOCKSTEP_CHECK(outputs_.back().shape == graph_.layers[i].shape);
  }
  double loss = 0;
  for (const model::Head& head : graph_.heads) {
    loss +=
        head.weight * cross_entropy(output(head.layer), batch_.labels, settings_.label_smoothing);
  }
  return loss;
}

NetworkGradients Network::backward() const {
  LOCKSTEP_CHECK(settings_.training && !outputs_.empty());
  NetworkGradients g;
  for (const Tensor& output : outputs_) g.outputs.push_back(zeros_like(output));
  for (const Values& parameter : parameters_) g.parameters.emplace_back(parameter.size());

  const auto reaches = [&](int layer, const Tensor& gradient, double factor = 1) {
    add_to(g.outputs[static_cast<std::size_t>(layer)], gradient, factor);
  };
  const auto reaches_parameter = [&](int layer, Role role, const Values& gradient) {
    for (std::size_t i = 0; i < described_.size(); ++i) {
      if (described_[i].layer == layer && described_[i].role == role) g.parameters[i] = gradient;
    }
  };

  for (const model::Head& head : graph_.heads) {
    reaches(head.layer,
            cross_entropy_backward(output(head.layer), batch_.labels, settings_.label_smoothing),
            head.weight);
  }
  for (int i = static_cast<int>(graph_.layers.size()) - 1; i > 0; --i) {
    const model::Layer& layer = graph_.layers[static_cast<std::size_t>(i)];
    const Tensor dy = g.outputs[static_cast<std::size_t>(i)];
    const int from = layer.inputs.front();
    std::visit(
        Overloaded{
            [&](const model::Input&) {},
            [&](const model::Conv& op) {
              const Gradients d = conv_backward(op, input(i), parameter(i, Role::weights), dy);
              reaches(from, d.x);
              reaches_parameter(i, Role::weights, d.weights);
              reaches_parameter(i, Role::bias, d.bias);
            },
            [&](const model::Dense& op) {
              const Gradients d = dense_backward(op, input(i), parameter(i, Role::weights), dy);
              reaches(from, d.x);
              reaches_parameter(i, Role::weights, d.weights);
              reaches_parameter(i, Role::bias, d.bias);
            },
            [&](const model::BatchNorm& op) {
              const Gradients d = batch_norm_backward(op, input(i), parameter(i, Role::scale), dy);
              reaches(from, d.x);
              reaches_parameter(i, Role::scale, d.weights);
              reaches_parameter(i, Role::shift, d.bias);
            },
            [&](const model::Activation& op) {
              reaches(from, activation_backward(op, input(i), dy));
            },
            [&](const model::Pool& op) { reaches(from, pool_backward(op, input(i), dy)); },
            [&](const model::Lrn& op) { reaches(from, lrn_backward(op, input(i), dy)); },
            [&](const model::Dropout& op) { reaches(from, dropout_backward(op, dy, place(i))); },
            [&](const model::Concat&) {
              int first_channel = 0;
              for (const int part : layer.inputs) {
                reaches(part, concat_backward(output(part), first_channel, dy));
                first_channel += output(part).shape.c;
              }
            },
            [&](const model::Add&) {
              for (const int term : layer.inputs) reaches(term, dy);
            },
            [&](const model::PadShortcut& op) {
              reaches(from, pad_shortcut_backward(op, input(i), dy));
            },
        },
        layer.op);
  }
  return g;
}

double Network::kink_distance() const {
  double distance = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < graph_.layers.size(); ++i) {
    const auto consider = [&](const auto& op) {
      distance = std::min(distance, reference::kink_distance(op, input(static_cast<int>(i))));
    };
    if (const auto* op = std::get_if<model::Activation>(&graph_.layers[i].op)) consider(*op);
    if (const auto* op = std::get_if<model::Pool>(&graph_.layers[i].op)) consider(*op);
  }
  return distance;
}

}  // namespace lockstep::reference
