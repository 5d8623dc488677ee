#include "engine/onednn/winograd.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "kernel/winograd.h"

namespace lockstep::engine::onednn {
namespace {

using dnnl::memory;
using Role = model::Parameter::Role;

// As the library's own convolutions have it, where we can: activations pass between ours and its.
int block_of(kernel::winograd::Size taps) {
  constexpr int kNarrow = 8, kWide = 16;
  const auto library = static_cast<unsigned>(dnnl::get_effective_cpu_isa());
  constexpr auto kOfWide = static_cast<unsigned>(dnnl::cpu_isa::avx512_core);
  const bool wide = (library & kOfWide) == kOfWide;
  return wide && kernel::Winograd::accepts(taps, kWide) ? kWide : kNarrow;
}

kernel::WinogradShape shape_of(const Compiler& c, int layer, const model::Conv& op) {
  const model::Shape in = c.layer(c.input(layer)).shape;
  const model::Shape out = c.layer(layer).shape;
  return {.images = c.options().batch,
          .in_channels = in.c,
          .out_channels = out.c,
          .in_h = in.h,
          .in_w = in.w,
          .out_h = out.h,
          .out_w = out.w,
          .top = op.padding.top,
          .left = op.padding.left,
          .taps = {op.kernel_h, op.kernel_w},
          .block = block_of({op.kernel_h, op.kernel_w})};
}

// The most that any of the passes takes.
std::size_t scratch_bytes(const Compiler& c, const kernel::WinogradShape& shape) {
  const kernel::Winograd conv(shape);
  if (!c.training()) return conv.forward_scratch_bytes();
  return std::max({conv.forward_scratch_bytes(), conv.backward_data_scratch_bytes(),
                   conv.backward_weights_scratch_bytes()});
}

memory::desc blocked(const memory::dims& dims, int block) {
  return plain_desc(dims, block == 8 ? memory::format_tag::nChw8c : memory::format_tag::nChw16c);
}
memory::desc blocked_filters(const memory::dims& dims, int block) {
  return plain_desc(dims,
                    block == 8 ? memory::format_tag::OIhw8i8o : memory::format_tag::OIhw16i16o);
}

const float* at(const Memory& m, const std::optional<Value>& value) {
  return value ? m.at(*value) : nullptr;
}

}  // namespace

bool accepts_winograd(const Compiler& c, int layer, const model::Conv& op) {
  const kernel::winograd::Size taps = {op.kernel_h, op.kernel_w};
  const int in = c.input(layer);
  const int block = block_of(taps);
  const bool fits = c.options().layout == Layout::automatic && in != 0 &&
                    kernel::Winograd::accepts(taps, block) && op.stride_h == 1 &&
                    op.stride_w == 1 && op.groups == 1 && op.filters % block == 0 &&
                    c.layer(in).shape.c % block == 0;
  return fits && scratch_bytes(c, shape_of(c, layer, op)) <= c.options().workspace_bytes;
}

EmitBackward emit_winograd(Compiler& c, int layer, const model::Conv& op) {
  const int in = c.input(layer);
  const kernel::WinogradShape shape = shape_of(c, layer, op);
  const kernel::Winograd conv(shape);
  const auto [taps, tile, window] = conv.form();
  const std::string implementation = fmt::format(
      "lockstep:winograd:{}:F({}x{},{}x{})", conv.instructions(), tile.h, tile.w, taps.h, taps.w);
  const memory::dims filters = {op.filters, c.layer(in).shape.c, op.kernel_h, op.kernel_w};
  c.store(layer, Role::weights, {blocked_filters(filters, shape.block), {}});
  if (op.bias) {
    c.store(layer, Role::bias, {plain_desc({op.filters}, memory::format_tag::x), {}});
  }

  const Value x = c.reordered({layer, "conv"}, c.value(in), blocked(c.dims(in), shape.block));
  const Value weights = c.parameter(layer, Role::weights);
  const Value y = c.new_value(blocked(c.dims(layer), shape.block));
  const Value scratch = c.new_workspace(conv.forward_scratch_bytes());
  std::vector<Value> operands = {x, weights, scratch};
  std::optional<Value> bias;
  if (op.bias) operands.push_back(bias.emplace(c.parameter(layer, Role::bias)));
  const kernel::Gate gate = c.gate(layer);
  const bool relu = gate.kind == kernel::Gate::Kind::relu;
  const bool other_gate = gate.kind != kernel::Gate::Kind::none && !relu;
  c.run(
      {layer, "conv"}, operands, y,
      [=](const Memory& m, Call&) {
        conv.forward(m.at(x), m.at(weights), at(m, bias), relu, m.at(y), m.at(scratch));
      },
      implementation);
  if (other_gate) {
    c.run({c.result(layer), "activation"}, {y}, y, [=, n = y.floats()](const Memory& m, Call&) {
      kernel::activate(gate, m.at(y), m.at(y), n);
    });
  }
  c.set_result(layer, y);

  return [=, &c] {
    const Value dy = c.reordered({layer, "conv"}, c.take_gradient(c.result(layer)), y.desc);
    if (c.wants_gradient(in)) {
      const Value dx = c.new_value(x.desc);
      const Value data_scratch = c.new_workspace(conv.backward_data_scratch_bytes());
      const Compiler::Rest rest = c.complete_gradient(in, layer, x.desc);
      std::vector<Value> all = {dy, weights, data_scratch};
      if (rest.addend) all.push_back(*rest.addend);
      if (rest.mask) all.push_back(*rest.mask);
      c.run(
          {layer, "conv data"}, all, dx,
          [=](const Memory& m, Call&) {
            conv.backward_data(m.at(dy), m.at(weights), at(m, rest.addend), at(m, rest.mask),
                               m.at(dx), m.at(data_scratch));
          },
          implementation);
      c.give_gradient(in, dx);
    }
    const Value d_weights = c.gradient_of_parameter(layer, Role::weights);
    const Value weights_scratch = c.new_workspace(conv.backward_weights_scratch_bytes());
    std::vector<Value> all = {x, dy, weights_scratch};
    std::optional<Value> d_bias;
    if (bias) all.push_back(d_bias.emplace(c.gradient_of_parameter(layer, Role::bias)));
    c.run(
        {layer, "conv weights"}, all, d_weights,
        [=](const Memory& m, Call&) {
          conv.backward_weights(m.at(x), m.at(dy), m.at(d_weights),
                                d_bias ? m.at(*d_bias) : nullptr, m.at(weights_scratch));
        },
        implementation);
    c.parameters_ready(layer);
  };
}

}  // namespace lockstep::engine::onednn
