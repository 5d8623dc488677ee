#pragma once

#include <cstddef>

namespace lockstep::comm {

// out = a + b; `out` may be `a`.
void add(float* out, const float* a, const float* b, std::size_t size);

// For what is not read again soon: goes around the caches where the processor can.
void copy(float* out, const float* in, std::size_t size);

}  // namespace lockstep::comm
