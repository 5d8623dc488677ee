#include "comm/arithmetic.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif

#include <algorithm>
#include <cstdint>
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

#ifdef __x86_64__
void copy_past_caches(float* out, const float* in, std::size_t size) {
  constexpr std::size_t kLine = 64 / sizeof(float);
  // Up to the first line of `out`; streams go by whole lines.
  const std::size_t offset = reinterpret_cast<std::uintptr_t>(out) / sizeof(float) % kLine;
  std::size_t i = std::min((kLine - offset) % kLine, size);
  copy(out, in, i);
  for (; i + kLine <= size; i += kLine) {
    for (std::size_t j = i; j < i + kLine; j += 4) _mm_stream_ps(out + j, _mm_loadu_ps(in + j));
  }
  copy(out + i, in + i, size - i);
  _mm_sfence();  // streams are not ordered by a release
}
#else
void copy_past_caches(float* out, const float* in, std::size_t size) {
  copy(out, in, size);
}
#endif

}  // namespace lockstep::comm
