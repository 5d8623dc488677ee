#pragma once

#include "engine/onednn/compiler.h"

namespace lockstep::engine::onednn {

// Convolutions by kernel::Winograd: in blocked layouts, where the shape allows it and the scratch
// memory is enough.
bool accepts_winograd(const Compiler& c, int layer, const model::Conv& op);
EmitBackward emit_winograd(Compiler& c, int layer, const model::Conv& op);

}  // namespace lockstep::engine::onednn
