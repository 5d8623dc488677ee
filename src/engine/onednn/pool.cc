#include "engine/onednn/compiler.h"
#include "kernel/max_pool.h"

namespace lockstep::engine::onednn {
namespace {

using dnnl::memory;
using Forward = dnnl::pooling_forward;
using Backward = dnnl::pooling_backward;

// By our own kernel, which takes a third of the library's time.
EmitBackward emit_max(Compiler& c, int layer, const model::Pool& op) {
  const int in = c.input(layer);
  const Value x = c.value(in);
  const Value y = c.new_value(like(x.desc, c.dims(layer)));
  const model::Shape before = c.layer(in).shape;
  const model::Shape behind = c.layer(layer).shape;
  const kernel::Windows windows{.in_h = before.h,
                                .in_w = before.w,
                                .out_h = behind.h,
                                .out_w = behind.w,
                                .kernel_h = op.kernel_h,
                                .kernel_w = op.kernel_w,
                                .stride_h = op.stride_h,
                                .stride_w = op.stride_w,
                                .top = op.padding.top,
                                .left = op.padding.left};
  const kernel::Layout layout = layout_of(x.desc);
  const Value winners = c.new_value({{y.floats()}, memory::data_type::u8, memory::format_tag::x});
  const auto bytes = [winners](const Memory& m) {
    return reinterpret_cast<std::uint8_t*>(m.at(winners));
  };
  c.run({layer, "pool"}, {x, winners}, y, [=](const Memory& m, Call&) {
    kernel::max_pool(windows, layout, m.at(x), m.at(y), bytes(m));
  });
  c.set_result(layer, y);

  return [=, &c] {
    const Value dy = c.take_gradient(layer);
    if (!c.wants_gradient(in)) return;
    const Value dx = c.new_value(x.desc);
    c.run({layer, "pool"}, {dy, winners}, dx, [=](const Memory& m, Call&) {
      kernel::max_pool_gradient(windows, layout, m.at(dy), bytes(m), m.at(dx));
    });
    c.give_gradient(in, dx);
  };
}

EmitBackward emit_average(Compiler& c, int layer, const model::Pool& op) {
  const int in = c.input(layer);
  const Value x = c.value(in);
  constexpr auto kAlgorithm = dnnl::algorithm::pooling_avg_exclude_padding;
  const auto kind =
      c.training() ? dnnl::prop_kind::forward_training : dnnl::prop_kind::forward_inference;
  const memory::dims strides = {op.stride_h, op.stride_w};
  const memory::dims kernel = {op.kernel_h, op.kernel_w};
  const memory::dims before = {op.padding.top, op.padding.left};
  const memory::dims after = {op.padding.bottom, op.padding.right};
  const Forward::primitive_desc forward(
      Forward::desc(kind, kAlgorithm, x.desc, any_desc(c.dims(layer)), strides, kernel, before,
                    after),
      attributes(), cpu());
  const Value y = c.new_value(forward.dst_desc());
  c.call<Forward>({layer, "pool"}, forward, {{DNNL_ARG_SRC, x}, {DNNL_ARG_DST, y}});
  c.set_result(layer, y);

  return [=, &c] {
    const Value dy = c.take_gradient(layer);
    if (!c.wants_gradient(in)) return;
    const Backward::primitive_desc backward(
        Backward::desc(kAlgorithm, x.desc, y.desc, strides, kernel, before, after), attributes(),
        cpu(), forward);
    const Value dx = c.new_value(x.desc);
    c.call<Backward>({layer, "pool"}, backward, {{DNNL_ARG_DIFF_DST, dy}, {DNNL_ARG_DIFF_SRC, dx}});
    c.give_gradient(in, dx);
  };
}

}  // namespace

EmitBackward emit(Compiler& c, int layer, const model::Pool& op) {
  return op.kind == model::Pool::Kind::max ? emit_max(c, layer, op) : emit_average(c, layer, op);
}

}  // namespace lockstep::engine::onednn
