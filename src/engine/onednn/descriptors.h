#pragma once

#include <dnnl.hpp>
#include <string>

#include "kernel/layout.h"
#include "kernel/pointwise.h"
#include "model/graph.h"

namespace lockstep::engine::onednn {

// Between the library's descriptors of tensors and operations, and our words for them.

kernel::Gate gate_of(const model::Activation& op);
kernel::Layout layout_of(const dnnl::memory::desc& desc);  // of four dimensions
// The same layout for other dimensions.
dnnl::memory::desc like(const dnnl::memory::desc& desc, const dnnl::memory::dims& dims);
std::string layout_name(const dnnl::memory::desc& desc);
bool is_fast(const dnnl::primitive_desc_base& descriptor);  // generated code, not gemm or reference
dnnl::primitive_attr attributes(kernel::Gate gate = {});    // our scratchpad; the gate as post-op
dnnl::memory::desc plain_desc(const dnnl::memory::dims& dims, dnnl::memory::format_tag tag);
dnnl::memory::desc any_desc(const dnnl::memory::dims& dims);

}  // namespace lockstep::engine::onednn
