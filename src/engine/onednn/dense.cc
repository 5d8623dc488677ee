#include <numeric>
#include <optional>

#include "engine/onednn/compiler.h"
#include "kernel/channels.h"

namespace lockstep::engine::onednn {
namespace {

using dnnl::memory;
using Role = model::Parameter::Role;

// The stored order of an image's features in `layout`, as plain indices (channel, row, column).
std::vector<int> feature_order(const kernel::Layout& layout) {
  std::vector<int> order(static_cast<std::size_t>(layout.image_size()));
  for (int c = 0; c < layout.channels; ++c) {
    for (int p = 0; p < layout.pixels; ++p) {
      order[static_cast<std::size_t>(layout.at(0, c, p))] = c * layout.pixels + p;
    }
  }
  return order;
}

// The input of a dense layer, wherever its features lie.
struct Source {
  int layer;
  Value value;
  bool samples_are_pixels;  // {1, features, 1, batch}: what the dense layer before has made
  std::int64_t features;
};

// --- As a 1x1 convolution over an image whose pixels are the batch -------------------------------
// The convolution's blocking of weights is faster than the library's inner product, and its output
// suits the next dense layer as it is.

namespace as_conv {

using Forward = dnnl::convolution_forward;
using BackwardData = dnnl::convolution_backward_data;
using BackwardWeights = dnnl::convolution_backward_weights;

struct Descriptors {
  Forward::primitive_desc forward;
  std::optional<BackwardData::primitive_desc> data;
  std::optional<BackwardWeights::primitive_desc> weights;
  int block;
};

std::optional<Descriptors> describe(const Compiler& c, const Source& source, int units,
                                    kernel::Gate gate, bool biased) {
  if (c.options().layout != Layout::automatic) return std::nullopt;
  constexpr auto kDirect = dnnl::algorithm::convolution_direct;
  const memory::dims one = {1, 1};
  const memory::dims none = {0, 0};
  const memory::dim batch = c.options().batch;
  const memory::desc src = any_desc({1, source.features, 1, batch});
  const memory::desc dst = any_desc({1, units, 1, batch});
  const memory::desc weights = any_desc({units, source.features, 1, 1});
  const memory::desc bias = plain_desc({units}, memory::format_tag::x);
  const auto kind =
      c.training() ? dnnl::prop_kind::forward_training : dnnl::prop_kind::forward_inference;
  const auto desc = biased ? Forward::desc(kind, kDirect, src, weights, bias, dst, one, none, none)
                           : Forward::desc(kind, kDirect, src, weights, dst, one, none, none);
  const Forward::primitive_desc hint(desc, attributes(), cpu());
  Descriptors all{{desc, attributes(gate), cpu()}, {}, {}, 0};
  if (!is_fast(all.forward)) return std::nullopt;
  const memory::desc x = all.forward.src_desc();
  const memory::desc y = all.forward.dst_desc();
  const auto& blocking = x.data.format_desc.blocking;
  if (blocking.inner_nblks != 1 || source.features % blocking.inner_blks[0] != 0) {
    return std::nullopt;
  }
  all.block = static_cast<int>(blocking.inner_blks[0]);
  if (c.training()) {
    all.data.emplace(BackwardData::desc(kDirect, x, weights, y, one, none, none), attributes(),
                     cpu(), hint);
    all.weights.emplace(biased
                            ? BackwardWeights::desc(kDirect, x, weights, bias, y, one, none, none)
                            : BackwardWeights::desc(kDirect, x, weights, y, one, none, none),
                        attributes(), cpu(), hint);
    if (!is_fast(*all.data) || !is_fast(*all.weights)) return std::nullopt;
  }
  return all;
}

EmitBackward emit(Compiler& c, int layer, const model::Dense& op, const Source& source,
                  const Descriptors& all) {
  const memory::desc x_desc = all.forward.src_desc();
  const int batch = c.options().batch;
  const int columns = static_cast<int>(source.features) / all.block;
  const bool transposed = !source.samples_are_pixels;

  c.store(layer, Role::weights,
          {all.weights ? all.weights->diff_weights_desc() : all.forward.weights_desc(),
           transposed ? feature_order(layout_of(source.value.desc)) : std::vector<int>{}});
  if (op.bias) c.store(layer, Role::bias, {plain_desc({op.units}, memory::format_tag::x), {}});

  Value x = source.value;
  if (transposed) {
    x = c.new_value(x_desc);
    c.run({layer, "flatten"}, {source.value}, x,
          [=, from = source.value, block = all.block](const Memory& m, Call&) {
            kernel::transpose_blocks(m.at(from), m.at(x), batch, columns, block);
          });
  }
  const Compiler::About about{layer, "dense"};
  const Value weights = c.parameter(layer, Role::weights);
  const Value y = c.new_value(all.forward.dst_desc());
  Compiler::Arguments arguments = {
      {DNNL_ARG_SRC, x},
      {DNNL_ARG_WEIGHTS, c.reordered(about, weights, all.forward.weights_desc(), true)},
      {DNNL_ARG_DST, y}};
  if (op.bias) arguments.emplace_back(DNNL_ARG_BIAS, c.parameter(layer, Role::bias));
  c.call<Forward>(about, all.forward, std::move(arguments));
  c.set_result(layer, y);

  return [=, &c, bias = op.bias] {
    const Value dy = c.take_gradient(c.result(layer));
    if (c.wants_gradient(source.layer)) {
      Value dx = c.new_value(x_desc);
      c.call<BackwardData>(
          {layer, "dense data"}, *all.data,
          {{DNNL_ARG_DIFF_DST, dy},
           {DNNL_ARG_WEIGHTS, c.reordered(about, weights, all.data->weights_desc(), true)},
           {DNNL_ARG_DIFF_SRC, dx}});
      if (transposed) {
        const Value columns_of_blocks = dx;
        dx = c.new_value(source.value.desc);
        c.run({layer, "unflatten"}, {columns_of_blocks}, dx,
              [=, block = all.block](const Memory& m, Call&) {
                kernel::transpose_blocks(m.at(columns_of_blocks), m.at(dx), columns, batch, block);
              });
      }
      c.give_gradient(source.layer, dx);
    }
    Compiler::Arguments to_weights = {
        {DNNL_ARG_SRC, x},
        {DNNL_ARG_DIFF_DST, dy},
        {DNNL_ARG_DIFF_WEIGHTS, c.gradient_of_parameter(layer, Role::weights)}};
    if (bias) {
      to_weights.emplace_back(DNNL_ARG_DIFF_BIAS, c.gradient_of_parameter(layer, Role::bias));
    }
    c.call<BackwardWeights>({layer, "dense weights"}, *all.weights, std::move(to_weights));
    c.parameters_ready(layer);
  };
}

}  // namespace as_conv

// --- As the library's inner product: any shape, and forced layouts -------------------------------

namespace as_inner_product {

using Forward = dnnl::inner_product_forward;
using BackwardData = dnnl::inner_product_backward_data;
using BackwardWeights = dnnl::inner_product_backward_weights;

// The source as rows of features, one per image.
Value rows(Compiler& c, int layer, const Source& source) {
  const memory::dim batch = c.options().batch;
  const memory::desc flat = plain_desc({batch, source.features}, memory::format_tag::nc);
  if (!source.samples_are_pixels && layout_of(source.value.desc).image_size() == source.features) {
    return {flat, source.value.place};
  }
  const Value plain = c.new_value(flat);
  c.run({layer, "flatten"}, {source.value}, plain,
        [=, layout = layout_of(source.value.desc)](const Memory& m, Call&) {
          kernel::gather_rows(m.at(source.value), layout, source.samples_are_pixels, m.at(plain));
        });
  return plain;
}

EmitBackward emit(Compiler& c, int layer, const model::Dense& op, const Source& source) {
  const memory::dim batch = c.options().batch;
  const Value x = rows(c, layer, source);
  const bool shared = x.place == source.value.place;
  const memory::desc weights_any = any_desc({op.units, source.features});
  const memory::desc bias_desc = plain_desc({op.units}, memory::format_tag::x);
  const memory::desc y_desc = plain_desc({batch, op.units}, memory::format_tag::nc);
  const auto kind =
      c.training() ? dnnl::prop_kind::forward_training : dnnl::prop_kind::forward_inference;
  const auto desc = op.bias ? Forward::desc(kind, x.desc, weights_any, bias_desc, y_desc)
                            : Forward::desc(kind, x.desc, weights_any, y_desc);
  const Forward::primitive_desc forward(desc, attributes(c.gate(layer)), cpu());
  const Forward::primitive_desc hint(desc, attributes(), cpu());
  // One layout for all three passes: the matrix product takes it transposed or not.
  const memory::desc weights_desc = forward.weights_desc();

  const auto order = shared ? feature_order(layout_of(source.value.desc)) : std::vector<int>{};
  c.store(layer, Role::weights, {weights_desc, order});
  if (op.bias) c.store(layer, Role::bias, {bias_desc, {}});

  const Value y = c.new_value(plain_desc({batch, op.units, 1, 1}, memory::format_tag::nchw));
  const Value weights = c.parameter(layer, Role::weights);
  Compiler::Arguments arguments = {
      {DNNL_ARG_SRC, x}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_DST, {y_desc, y.place}}};
  if (op.bias) arguments.emplace_back(DNNL_ARG_BIAS, c.parameter(layer, Role::bias));
  c.call<Forward>({layer, "dense"}, forward, std::move(arguments));
  c.set_result(layer, y);

  return [=, &c, bias = op.bias] {
    const Value dy{y_desc, c.take_gradient(c.result(layer)).place};
    if (c.wants_gradient(source.layer)) {
      const BackwardData::primitive_desc data(BackwardData::desc(x.desc, weights_desc, y_desc),
                                              attributes(), cpu(), hint);
      const Value d_rows = c.new_value(x.desc);
      c.call<BackwardData>(
          {layer, "dense data"}, data,
          {{DNNL_ARG_DIFF_DST, dy}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_DIFF_SRC, d_rows}});
      Value dx{source.value.desc, d_rows.place};
      if (!shared) {
        dx = c.new_value(source.value.desc);
        c.run({layer, "unflatten"}, {d_rows}, dx,
              [=, layout = layout_of(source.value.desc)](const Memory& m, Call&) {
                kernel::scatter_rows(m.at(d_rows), layout, source.samples_are_pixels, m.at(dx));
              });
      }
      c.give_gradient(source.layer, dx);
    }
    const auto desc_of_weights =
        bias ? BackwardWeights::desc(x.desc, weights_desc, bias_desc, y_desc)
             : BackwardWeights::desc(x.desc, weights_desc, y_desc);
    const BackwardWeights::primitive_desc to_weights(desc_of_weights, attributes(), cpu(), hint);
    Compiler::Arguments all = {
        {DNNL_ARG_SRC, x},
        {DNNL_ARG_DIFF_DST, dy},
        {DNNL_ARG_DIFF_WEIGHTS, c.gradient_of_parameter(layer, Role::weights)}};
    if (bias) all.emplace_back(DNNL_ARG_DIFF_BIAS, c.gradient_of_parameter(layer, Role::bias));
    c.call<BackwardWeights>({layer, "dense weights"}, to_weights, std::move(all));
    c.parameters_ready(layer);
  };
}

}  // namespace as_inner_product

}  // namespace

EmitBackward emit(Compiler& c, int layer, const model::Dense& op) {
  const int in = c.input(layer);
  const Value x = c.value(in);
  const Source source{in, x, c.samples_are_pixels(x), c.layer(in).shape.elements()};
  const bool dense_features =
      source.samples_are_pixels ||
      layout_of(x.desc).image_size() == source.features;  // no padded channels
  if (dense_features) {
    if (const auto all = as_conv::describe(c, source, op.units, c.gate(layer), op.bias)) {
      return as_conv::emit(c, layer, op, source, *all);
    }
  }
  return as_inner_product::emit(c, layer, op, source);
}

}  // namespace lockstep::engine::onednn
