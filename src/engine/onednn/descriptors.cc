#include "engine/onednn/descriptors.h"

#include <fmt/format.h>

#include <string_view>

#include "base/check.h"

namespace lockstep::engine::onednn {

using dnnl::memory;

kernel::Gate gate_of(const model::Activation& op) {
  switch (op.kind) {
    case model::Activation::Kind::relu:
      return {kernel::Gate::Kind::relu, 0};
    case model::Activation::Kind::relu6:
      return {kernel::Gate::Kind::relu6, 0};
    case model::Activation::Kind::leaky_relu:
      return {kernel::Gate::Kind::leaky, op.slope};
  }
  return {};
}

kernel::Layout layout_of(const memory::desc& desc) {
  const auto& blocking = desc.data.format_desc.blocking;
  LOCKSTEP_CHECK(desc.data.ndims == 4);
  kernel::Layout layout;
  layout.images = static_cast<int>(desc.data.dims[0]);
  layout.channels = static_cast<int>(desc.data.dims[1]);
  layout.pixels = static_cast<int>(desc.data.dims[2] * desc.data.dims[3]);
  if (blocking.inner_nblks == 1) {
    LOCKSTEP_CHECK(blocking.inner_idxs[0] == 1);
    layout.block = static_cast<int>(blocking.inner_blks[0]);
  } else {
    LOCKSTEP_CHECK(blocking.inner_nblks == 0);
    const bool channels_last = blocking.strides[1] == 1 && layout.pixels > 1;
    layout.block = channels_last ? layout.channels : 1;
  }
  return layout;
}

memory::desc like(const memory::desc& desc, const memory::dims& dims) {
  const auto& blocking = desc.data.format_desc.blocking;
  if (blocking.inner_nblks == 1) {
    return plain_desc(dims, blocking.inner_blks[0] == 16 ? memory::format_tag::nChw16c
                                                         : memory::format_tag::nChw8c);
  }
  return plain_desc(
      dims, layout_name(desc) == "nhwc" ? memory::format_tag::nhwc : memory::format_tag::nchw);
}

std::string layout_name(const memory::desc& desc) {
  if (desc.data.ndims != 4 || desc.data.format_kind != dnnl_blocked) return "";
  const auto& blocking = desc.data.format_desc.blocking;
  if (blocking.inner_nblks > 1) return "";  // of filters
  if (blocking.inner_nblks == 0) return blocking.strides[1] == 1 ? "nhwc" : "nchw";
  return fmt::format("nChw{}c", blocking.inner_blks[0]);
}

bool is_fast(const dnnl::primitive_desc_base& descriptor) {
  const std::string_view name = descriptor.impl_info_str();
  return name.starts_with("jit") || name.starts_with("brg");
}

dnnl::primitive_attr attributes(kernel::Gate gate) {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  dnnl::post_ops post;
  switch (gate.kind) {
    case kernel::Gate::Kind::none:
      return attributes;
    case kernel::Gate::Kind::relu:
      post.append_eltwise(1, dnnl::algorithm::eltwise_relu, 0, 0);
      break;
    case kernel::Gate::Kind::relu6:
      post.append_eltwise(1, dnnl::algorithm::eltwise_bounded_relu, 6, 0);
      break;
    case kernel::Gate::Kind::leaky:
      post.append_eltwise(1, dnnl::algorithm::eltwise_relu, gate.slope, 0);
      break;
  }
  attributes.set_post_ops(post);
  return attributes;
}

memory::desc plain_desc(const memory::dims& dims, memory::format_tag tag) {
  return {dims, memory::data_type::f32, tag};
}

memory::desc any_desc(const memory::dims& dims) {
  return {dims, memory::data_type::f32, memory::format_tag::any};
}

}  // namespace lockstep::engine::onednn
