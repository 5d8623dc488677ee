#include "comm/arithmetic.h"

#include <cstring>

#include "base/simd.h"

namespace lockstep::comm {

LOCKSTEP_SIMD_CLONES
void add(float* out, const float* a, const float* b, std::size_t size) {
#pragma omp simd
  for (std::size_t i = 0; i < size; ++i) out[i] = a[i] + b[i];
}

void copy(float* out, const float* in, std::size_t size) {
  std::memcpy(out, in, size * sizeof(float));
}

}  // namespace lockstep::comm
