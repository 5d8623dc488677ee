#pragma once

#include <cstdint>

#include "kernel/dropout_mask.h"
#include "kernel/layout.h"

namespace lockstep::kernel {

// out = x times the mask's factor; the same call on gradients is the gradient, so the mask is
// computed again in backward rather than stored. Where `samples_are_pixels` the layout is one image
// whose pixels are the batch. out may be x.
void dropout(const DropoutMask& mask, std::uint64_t first_sample, const float* x, float* out,
             const Layout& layout, bool samples_are_pixels);

}  // namespace lockstep::kernel
