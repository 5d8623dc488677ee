#include <optional>

#include "engine/onednn/compiler.h"

namespace lockstep::engine::onednn {
namespace {

using dnnl::memory;
using Forward = dnnl::pooling_forward;
using Backward = dnnl::pooling_backward;

}  // namespace

EmitBackward emit(Compiler& c, int layer, const model::Pool& op) {
  const int in = c.input(layer);
  const Value x = c.value(in);
  const auto algorithm = op.kind == model::Pool::Kind::max
                             ? dnnl::algorithm::pooling_max
                             : dnnl::algorithm::pooling_avg_exclude_padding;
  const auto kind =
      c.training() ? dnnl::prop_kind::forward_training : dnnl::prop_kind::forward_inference;
  const memory::dims strides = {op.stride_h, op.stride_w};
  const memory::dims kernel = {op.kernel_h, op.kernel_w};
  const memory::dims before = {op.padding.top, op.padding.left};
  const memory::dims after = {op.padding.bottom, op.padding.right};
  const Forward::primitive_desc forward(
      Forward::desc(kind, algorithm, x.desc, any_desc(c.dims(layer)), strides, kernel, before,
                    after),
      attributes(), cpu());

  const Value y = c.new_value(forward.dst_desc());
  Compiler::Arguments arguments = {{DNNL_ARG_SRC, x}, {DNNL_ARG_DST, y}};
  std::optional<Value> winners;
  if (c.training() && op.kind == model::Pool::Kind::max) {
    winners = c.new_value(forward.workspace_desc());
    arguments.emplace_back(DNNL_ARG_WORKSPACE, *winners);
  }
  c.call<Forward>({layer, "pool"}, forward, std::move(arguments));
  c.set_result(layer, y);

  return [=, &c] {
    const Value dy = c.take_gradient(layer);
    if (!c.wants_gradient(in)) return;
    const Backward::primitive_desc backward(
        Backward::desc(algorithm, x.desc, y.desc, strides, kernel, before, after), attributes(),
        cpu(), forward);
    const Value dx = c.new_value(x.desc);
    Compiler::Arguments to_input = {{DNNL_ARG_DIFF_DST, dy}, {DNNL_ARG_DIFF_SRC, dx}};
    if (winners) to_input.emplace_back(DNNL_ARG_WORKSPACE, *winners);
    c.call<Backward>({layer, "pool"}, backward, std::move(to_input));
    c.give_gradient(in, dx);
  };
}

}  // namespace lockstep::engine::onednn
