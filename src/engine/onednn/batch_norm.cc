#include <cmath>
#include <optional>

#include "engine/onednn/compiler.h"

namespace lockstep::engine::onednn {
namespace {

using dnnl::memory;
using Role = model::Parameter::Role;
using Forward = dnnl::batch_normalization_forward;
using Backward = dnnl::batch_normalization_backward;

// moving = decay * moving + (1 - decay) * batch; the variance with Bessel's correction.
void emit_moving_averages(Compiler& c, int layer, const model::BatchNorm& op, const Value& mean,
                          const Value& variance) {
  const Value moving_mean = c.statistics(layer, false);
  const Value moving_variance = c.statistics(layer, true);
  const model::Shape shape = c.layer(layer).shape;
  const double count = double(c.options().batch) * shape.h * shape.w;
  const auto bessel = static_cast<float>(count > 1 ? count / (count - 1) : 1);
  const float decay = op.decay;
  const int channels = shape.c;
  c.run({layer, "moving averages"}, {mean, variance, moving_variance}, moving_mean,
        [=](const Memory& m, Call&) {
          const float* batch_mean = m.at(mean);
          const float* batch_variance = m.at(variance);
          float* to_mean = m.at(moving_mean);
          float* to_variance = m.at(moving_variance);
          for (int i = 0; i < channels; ++i) {
            to_mean[i] += (1 - decay) * (batch_mean[i] - to_mean[i]);
            to_variance[i] += (1 - decay) * (bessel * batch_variance[i] - to_variance[i]);
          }
        });
}

}  // namespace

EmitBackward emit(Compiler& c, int layer, const model::BatchNorm& op) {
  const int in = c.input(layer);
  const Value x = c.value(in);
  const kernel::Gate gate = c.gate(layer);
  // The library applies ReLU on its way out and keeps its mask; other gates follow in place.
  const bool relu = gate.kind == kernel::Gate::Kind::relu;
  const bool other_gate = gate.kind != kernel::Gate::Kind::none && !relu;

  auto flags = dnnl::normalization_flags::use_shift;
  if (op.scale) flags = flags | dnnl::normalization_flags::use_scale;
  if (relu) flags = flags | dnnl::normalization_flags::fuse_norm_relu;
  if (!c.training()) flags = flags | dnnl::normalization_flags::use_global_stats;
  const auto kind =
      c.training() ? dnnl::prop_kind::forward_training : dnnl::prop_kind::forward_inference;
  const Forward::primitive_desc forward(Forward::desc(kind, x.desc, op.epsilon, flags),
                                        attributes(), cpu());

  const memory::desc per_channel = plain_desc({c.layer(layer).shape.c}, memory::format_tag::x);
  c.store(layer, Role::shift, {per_channel, {}});
  if (op.scale) c.store(layer, Role::scale, {per_channel, {}});

  const Value y = c.new_value(x.desc);
  const Value mean = c.training() ? c.new_value(per_channel) : c.statistics(layer, false);
  const Value variance = c.training() ? c.new_value(per_channel) : c.statistics(layer, true);
  Compiler::Arguments arguments = {{DNNL_ARG_SRC, x},
                                   {DNNL_ARG_MEAN, mean},
                                   {DNNL_ARG_VARIANCE, variance},
                                   {DNNL_ARG_SHIFT, c.parameter(layer, Role::shift)},
                                   {DNNL_ARG_DST, y}};
  if (op.scale) arguments.emplace_back(DNNL_ARG_SCALE, c.parameter(layer, Role::scale));
  std::optional<Value> mask;
  if (relu && c.training()) {
    mask = c.new_value(forward.workspace_desc());
    arguments.emplace_back(DNNL_ARG_WORKSPACE, *mask);
  }
  c.call<Forward>({layer, "batch norm"}, forward, std::move(arguments));
  if (other_gate) {
    c.run({c.result(layer), "activation"}, {y}, y, [=, n = y.floats()](const Memory& m, Call&) {
      kernel::activate(gate, m.at(y), m.at(y), n);
    });
  }
  if (c.training()) emit_moving_averages(c, layer, op, mean, variance);
  c.set_result(layer, y);

  return [=, &c, scale = op.scale, epsilon = op.epsilon] {
    const Value dy = c.take_gradient(c.result(layer));
    const Backward::primitive_desc backward(
        Backward::desc(dnnl::prop_kind::backward, x.desc, x.desc, epsilon, flags), attributes(),
        cpu(), forward);
    const Value dx = c.new_value(x.desc);
    Compiler::Arguments to_input = {
        {DNNL_ARG_SRC, x},
        {DNNL_ARG_MEAN, mean},
        {DNNL_ARG_VARIANCE, variance},
        {DNNL_ARG_DIFF_DST, dy},
        {DNNL_ARG_SHIFT, c.parameter(layer, Role::shift)},
        {DNNL_ARG_DIFF_SHIFT, c.gradient_of_parameter(layer, Role::shift)},
        {DNNL_ARG_DIFF_SRC, dx}};
    if (scale) {
      to_input.emplace_back(DNNL_ARG_SCALE, c.parameter(layer, Role::scale));
      to_input.emplace_back(DNNL_ARG_DIFF_SCALE, c.gradient_of_parameter(layer, Role::scale));
    }
    if (mask) to_input.emplace_back(DNNL_ARG_WORKSPACE, *mask);
    c.call<Backward>({layer, "batch norm"}, backward, std::move(to_input));
    c.parameters_ready(layer);
    if (c.wants_gradient(in)) c.give_gradient(in, dx);
  };
}

}  // namespace lockstep::engine::onednn
