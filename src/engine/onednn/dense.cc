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
using BackwardWeights = dnnl::convolution_backward_weights;

constexpr auto kDirect = dnnl::algorithm::convolution_direct;

struct Descriptors {
  Forward::primitive_desc forward;
  std::optional<Forward::primitive_desc> data;
  std::optional<BackwardWeights::primitive_desc> weights;
};

// The gradient of the data, without weights in a layout of their own: the weights are the image,
// whose channels are the units and whose pixels the features, and the gradients of the batch are
// the filters. In blocks, the two forms of the weights are the same memory.
std::optional<Forward::primitive_desc> describe_data(const memory::desc& weights,
                                                     memory::dim batch) {
  const memory::dims dims = weights.dims();
  const auto image = [&](memory::format_tag tag) {
    return plain_desc({1, dims[0], 1, dims[1]}, tag);
  };
  memory::desc src;
  if (weights == plain_desc(dims, memory::format_tag::OIhw8i8o)) {
    src = image(memory::format_tag::nChw8c);
  } else if (weights == plain_desc(dims, memory::format_tag::OIhw16i16o)) {
    src = image(memory::format_tag::nChw16c);
  } else {
    return std::nullopt;
  }
  return Forward::primitive_desc(
      Forward::desc(dnnl::prop_kind::forward_training, kDirect, src,
                    any_desc({batch, dims[0], 1, 1}), any_desc({1, batch, 1, dims[1]}), {1, 1},
                    {0, 0}, {0, 0}),
      attributes(), cpu());
}

std::optional<Descriptors> describe(const Compiler& c, const Source& source, int units,
                                    kernel::Gate gate, bool biased) {
  if (c.options().layout != Layout::automatic) return std::nullopt;
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
  Descriptors all{{desc, attributes(gate), cpu()}, {}, {}};
  if (!is_fast(all.forward)) return std::nullopt;
  const memory::desc x = all.forward.src_desc();
  const memory::desc y = all.forward.dst_desc();
  const auto& blocking = x.data.format_desc.blocking;
  if (blocking.inner_nblks != 1 || source.features % blocking.inner_blks[0] != 0) {
    return std::nullopt;
  }
  if (c.training()) {
    all.weights.emplace(biased
                            ? BackwardWeights::desc(kDirect, x, weights, bias, y, one, none, none)
                            : BackwardWeights::desc(kDirect, x, weights, y, one, none, none),
                        attributes(), cpu(), hint);
    all.data = describe_data(all.weights->diff_weights_desc(), batch);
    if (!is_fast(*all.weights) || !all.data || !is_fast(*all.data)) return std::nullopt;
  }
  return all;
}

// Activations and gradients are moved, so that the weights, which are many more, need not be.
Value transposed(Compiler& c, const Compiler::About& about, const Value& value,
                 const memory::desc& desc) {
  if (value.desc == desc) return value;
  const Value out = c.new_value(desc);
  c.call<dnnl::reorder>(about,
                        dnnl::reorder::primitive_desc(cpu(), value.desc, cpu(), desc, attributes()),
                        {{DNNL_ARG_FROM, value}, {DNNL_ARG_TO, out}});
  return out;
}

EmitBackward emit(Compiler& c, int layer, const model::Dense& op, const Source& source,
                  const Descriptors& all) {
  const memory::desc x_desc = all.forward.src_desc();
  Value given = source.value;
  std::vector<int> order;
  if (!source.samples_are_pixels) {  // but rows of features, in the order of the image
    const memory::dim size = source.features * c.options().batch;
    given.desc = {x_desc.dims(), memory::data_type::f32, {size, 1, size, source.features}};
    order = feature_order(layout_of(source.value.desc));
  }
  c.store(layer, Role::weights,
          {all.weights ? all.weights->diff_weights_desc() : all.forward.weights_desc(), order});
  if (op.bias) c.store(layer, Role::bias, {plain_desc({op.units}, memory::format_tag::x), {}});

  const Compiler::About about{layer, "dense"};
  const Value x = transposed(c, {layer, kReorderRows}, given, x_desc);
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
      // {1, units, 1, batch} to {batch, units, 1, 1}, and {1, batch, 1, features} back.
      const Value filters =
          transposed(c, {layer, kReorderRows}, {dy.desc.permute_axes({3, 1, 2, 0}), dy.place},
                     all.data->weights_desc());
      const Value product = c.new_value(all.data->dst_desc());
      c.call<Forward>({layer, "dense data"}, *all.data,
                      {{DNNL_ARG_SRC, {all.data->src_desc(), weights.place}},
                       {DNNL_ARG_WEIGHTS, filters},
                       {DNNL_ARG_DST, product}});
      const Value dx =
          transposed(c, {layer, kReorderRows},
                     {product.desc.permute_axes({0, 3, 2, 1}), product.place}, given.desc);
      c.give_gradient(source.layer, {source.value.desc, dx.place});
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
  c.run({layer, kReorderRows}, {source.value}, plain,
        [=, layout = layout_of(source.value.desc)](const Memory& m, Call&) {
          kernel::gather_rows(m.at(source.value), layout, source.samples_are_pixels, m.at(plain));
        });
  return plain;
}

// Of few features and many units the library's AVX-512 code makes no gradient: it splits the sum
// over units among threads and adds up in memory that it never took. Seen with up to 32 features.
// Its product of plain matrices is as good for so few.
memory::desc weights_wanted(int units, std::int64_t features) {
  constexpr std::int64_t kFew = 64;
  return features > kFew ? any_desc({units, features})
                         : plain_desc({units, features}, memory::format_tag::oi);
}

EmitBackward emit(Compiler& c, int layer, const model::Dense& op, const Source& source) {
  const memory::dim batch = c.options().batch;
  const Value x = rows(c, layer, source);
  const bool shared = x.place == source.value.place;
  const memory::desc weights_wish = weights_wanted(op.units, source.features);
  const memory::desc bias_desc = plain_desc({op.units}, memory::format_tag::x);
  const memory::desc y_desc = plain_desc({batch, op.units}, memory::format_tag::nc);
  const auto kind =
      c.training() ? dnnl::prop_kind::forward_training : dnnl::prop_kind::forward_inference;
  const auto desc = op.bias ? Forward::desc(kind, x.desc, weights_wish, bias_desc, y_desc)
                            : Forward::desc(kind, x.desc, weights_wish, y_desc);
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
        c.run({layer, kReorderRows}, {d_rows}, dx,
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
