#pragma once

#include <cstddef>

namespace lockstep::comm {

// out = a + b; `out` may be `a`.
void add(float* out, const float* a, const float* b, std::size_t size);

void copy(float* out, const float* in, std::size_t size);

// For what is not read again soon: memory is written without being read before, where the processor
// can, and the caches keep what they have. Whoever sees a later release by this thread sees it.
void copy_past_caches(float* out, const float* in, std::size_t size);

}  // namespace lockstep::comm
