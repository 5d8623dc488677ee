#pragma once

#include "engine/onednn/compiler.h"

namespace lockstep::engine::onednn {

// What is to compute the layer, direct or winograd: what the options force, where it can; else what
// they choose for the shape; else a rule of thumb.
ConvAlgorithm conv_algorithm(const Compiler& c, int layer, const model::Conv& op);

}  // namespace lockstep::engine::onednn
