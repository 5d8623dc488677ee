#include <array>
#include <optional>
#include <string_view>

#include "engine/onednn/compiler.h"
#include "engine/onednn/conv_choice.h"
#include "engine/onednn/winograd.h"

namespace lockstep::engine::onednn {
namespace {

using dnnl::memory;
using Role = model::Parameter::Role;
using Forward = dnnl::convolution_forward;
using BackwardData = dnnl::convolution_backward_data;
using BackwardWeights = dnnl::convolution_backward_weights;

constexpr auto kDirect = dnnl::algorithm::convolution_direct;

// A convolution as the library wants it described. Layouts of weights are the library's choice.
struct Problem {
  memory::desc src, weights, bias, dst;
  memory::dims strides, before, after;
  bool biased;

  Forward::primitive_desc forward(bool training, const dnnl::primitive_attr& attr) const {
    const auto kind =
        training ? dnnl::prop_kind::forward_training : dnnl::prop_kind::forward_inference;
    const auto desc =
        biased ? Forward::desc(kind, kDirect, src, weights, bias, dst, strides, before, after)
               : Forward::desc(kind, kDirect, src, weights, dst, strides, before, after);
    return {desc, attr, cpu()};
  }
  BackwardData::primitive_desc backward_data(const Forward::primitive_desc& hint) const {
    return {BackwardData::desc(kDirect, src, weights, dst, strides, before, after), attributes(),
            cpu(), hint};
  }
  BackwardWeights::primitive_desc backward_weights(const Forward::primitive_desc& hint) const {
    const auto desc =
        biased ? BackwardWeights::desc(kDirect, src, weights, bias, dst, strides, before, after)
               : BackwardWeights::desc(kDirect, src, weights, dst, strides, before, after);
    BackwardWeights::primitive_desc descriptor(desc, attributes(), cpu(), hint);
    if (gathers_narrow_pixels(descriptor)) descriptor.next_impl();
    return descriptor;
  }

 private:
  // The library's code for 1x1 filters gathers the pixels that a stride leaves. Where a pixel has
  // fewer channels than a vector, it then sums what nobody wrote: another result each time.
  bool gathers_narrow_pixels(const BackwardWeights::primitive_desc& descriptor) const {
    constexpr memory::dim kVector = 8;
    return std::string_view(descriptor.impl_info_str()).starts_with("jit_1x1") &&
           src.dims()[1] < kVector && (strides[0] > 1 || strides[1] > 1);
  }
};

Problem describe(const Compiler& c, int layer, const model::Conv& op) {
  const memory::dims in = c.dims(c.input(layer));
  const memory::dims out = c.dims(layer);
  const memory::dim groups = op.groups;
  memory::dims weights = {op.filters, in[1] / groups, op.kernel_h, op.kernel_w};
  if (groups > 1) weights = {groups, op.filters / groups, in[1] / groups, op.kernel_h, op.kernel_w};
  return {any_desc(in),
          any_desc(weights),
          plain_desc({op.filters}, memory::format_tag::x),
          c.activation_desc(out),
          {op.stride_h, op.stride_w},
          {op.padding.top, op.padding.left},
          {op.padding.bottom, op.padding.right},
          op.bias};
}

bool is_reference(const dnnl::primitive_desc_base& descriptor) {
  return std::string_view(descriptor.impl_info_str()).starts_with("ref");
}

// Odd shapes (maps smaller than the kernel, one channel) have only reference code in some layouts,
// a hundred times slower than the rest: the operands are better brought to the layout that the
// library would choose.
template <typename Make>
auto without_reference(const Problem& problem, const Make& make) {
  auto descriptor = make(problem);
  if (!is_reference(descriptor)) return descriptor;
  Problem free = problem;
  free.src = any_desc(problem.src.dims());
  free.dst = any_desc(problem.dst.dims());
  auto other = make(free);
  return is_reference(other) ? descriptor : other;
}

bool fast_both_ways(const Compiler& c, const Problem& problem) {
  const auto forward = problem.forward(c.training(), attributes());
  if (!is_fast(forward)) return false;
  Problem fixed = problem;
  fixed.dst = forward.dst_desc();
  return !c.training() || is_fast(fixed.backward_weights(forward));
}

// Images come in whatever plain layout suits the first convolution. Where the library has fast code
// only without padding, the border becomes part of the images.
void choose_images(Compiler& c, Problem& problem, model::Padding padding) {
  const memory::dims dims = problem.src.dims();
  const auto tags = c.options().layout == Layout::nhwc
                        ? std::array{memory::format_tag::nhwc, memory::format_tag::nchw}
                        : std::array{memory::format_tag::nchw, memory::format_tag::nhwc};
  const memory::dims padded = {dims[0], dims[1], dims[2] + padding.top + padding.bottom,
                               dims[3] + padding.left + padding.right};
  for (const auto tag : tags) {
    problem.src = plain_desc(dims, tag);
    if (fast_both_ways(c, problem)) return c.set_images(problem.src, {});
    Problem without = problem;
    without.src = plain_desc(padded, tag);
    without.before = without.after = {0, 0};
    if (fast_both_ways(c, without)) {
      problem = without;
      return c.set_images(problem.src, padding);
    }
  }
  problem.src = plain_desc(dims, tags[0]);
  c.set_images(problem.src, {});
}

// The input's own layout if there is fast code for it, otherwise what the library prefers.
void choose_source(Compiler& c, Problem& problem, const Value& x) {
  problem.src = x.desc;
  if (c.options().layout != Layout::automatic || fast_both_ways(c, problem)) return;
  Problem free = problem;
  free.src = any_desc(problem.src.dims());
  const auto forward = free.forward(c.training(), attributes());
  const bool bad = is_reference(problem.forward(c.training(), attributes()));
  if (is_fast(forward) || (bad && !is_reference(forward))) {
    problem.src = forward.src_desc();
    problem.dst = forward.dst_desc();
  }
}

EmitBackward emit_direct(Compiler& c, int layer, const model::Conv& op) {
  const int in = c.input(layer);
  Problem problem = describe(c, layer, op);
  const bool first_reader = in == 0 && c.value(0).place == Place{};
  if (first_reader) {
    choose_images(c, problem, op.padding);
  } else {
    choose_source(c, problem, c.value(in));
  }
  const auto forward = problem.forward(c.training(), attributes(c.gate(layer)));
  const auto hint = problem.forward(c.training(), attributes());
  problem.src = forward.src_desc();
  problem.dst = forward.dst_desc();

  std::optional<BackwardWeights::primitive_desc> backward_weights;
  if (c.training()) {
    backward_weights =
        without_reference(problem, [&](const Problem& p) { return p.backward_weights(hint); });
  }
  // Gradients and parameters are stored alike, so that the update is element by element.
  const memory::desc stored =
      backward_weights ? backward_weights->diff_weights_desc() : forward.weights_desc();
  c.store(layer, Role::weights, {stored, {}});
  if (op.bias) c.store(layer, Role::bias, {problem.bias, {}});

  const Compiler::About about{layer, "conv"};
  const Value x = c.reordered(about, c.value(in), problem.src);
  const Value weights = c.parameter(layer, Role::weights);
  const Value y = c.new_value(problem.dst);
  Compiler::Arguments arguments = {
      {DNNL_ARG_SRC, x},
      {DNNL_ARG_WEIGHTS, c.reordered(about, weights, forward.weights_desc(), true)},
      {DNNL_ARG_DST, y}};
  if (op.bias) arguments.emplace_back(DNNL_ARG_BIAS, c.parameter(layer, Role::bias));
  c.call<Forward>(about, forward, std::move(arguments));
  c.set_result(layer, y);

  return [=, &c, bias = op.bias] {
    const Value dy = c.take_gradient(c.result(layer));
    if (c.wants_gradient(in)) {
      const auto backward_data =
          without_reference(problem, [&](const Problem& p) { return p.backward_data(hint); });
      const Value dx = c.new_value(backward_data.diff_src_desc());
      c.call<BackwardData>(
          {layer, "conv data"}, backward_data,
          {{DNNL_ARG_DIFF_DST, c.reordered(about, dy, backward_data.diff_dst_desc())},
           {DNNL_ARG_WEIGHTS, c.reordered(about, weights, backward_data.weights_desc(), true)},
           {DNNL_ARG_DIFF_SRC, dx}});
      c.give_gradient(in, dx);
    }
    Compiler::Arguments to_weights = {
        {DNNL_ARG_SRC, c.reordered(about, x, backward_weights->src_desc())},
        {DNNL_ARG_DIFF_DST, c.reordered(about, dy, backward_weights->diff_dst_desc())},
        {DNNL_ARG_DIFF_WEIGHTS, c.gradient_of_parameter(layer, Role::weights)}};
    if (bias) {
      to_weights.emplace_back(DNNL_ARG_DIFF_BIAS, c.gradient_of_parameter(layer, Role::bias));
    }
    c.call<BackwardWeights>({layer, "conv weights"}, *backward_weights, std::move(to_weights));
    c.parameters_ready(layer);
  };
}

}  // namespace

EmitBackward emit(Compiler& c, int layer, const model::Conv& op) {
  return conv_algorithm(c, layer, op) == ConvAlgorithm::winograd ? emit_winograd(c, layer, op)
                                                                 : emit_direct(c, layer, op);
}

}  // namespace lockstep::engine::onednn
