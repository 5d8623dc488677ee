#include "machine/multiply_add.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "machine/isa.h"

namespace lockstep::machine {
namespace {

// Two units with a latency of four or five cycles are kept busy by ten independent chains; twelve
// and two constants still fit into sixteen registers.
constexpr int kChains = 12;
constexpr int kFlops = 2 * kChains;  // of one lane
// Chains converge to a small number: nothing overflows or becomes denormal, however long they run.
constexpr float kFactor = 0.5F;
constexpr float kTerm = 1.0F;
// A start of its own for each, none at the point that they converge to: the compiler computes equal
// chains once, and constant ones never.
constexpr float start(int chain) {
  return static_cast<float>(-chain);
}

// Sixteen bytes, written as the compiler's own vectors: SSE2 or NEON.
float run_portable(std::int64_t rounds) {
  using Vector [[gnu::vector_size(16)]] = float;
  Vector chain[kChains];
#pragma GCC unroll 12
  for (int i = 0; i < kChains; ++i) chain[i] = Vector{} + start(i);
  for (std::int64_t round = 0; round < rounds; ++round) {
#pragma GCC unroll 12
    for (Vector& x : chain) x = x * kFactor + kTerm;
  }
  Vector sum = {};
#pragma GCC unroll 12
  for (const Vector& x : chain) sum += x;
  return sum[0];
}

#if defined(__x86_64__)

__attribute__((target("avx2,fma"))) float run_avx2(std::int64_t rounds) {
  const __m256 factor = _mm256_set1_ps(kFactor);
  const __m256 term = _mm256_set1_ps(kTerm);
  __m256 chain[kChains];
#pragma GCC unroll 12
  for (int i = 0; i < kChains; ++i) chain[i] = _mm256_set1_ps(start(i));
  for (std::int64_t round = 0; round < rounds; ++round) {
#pragma GCC unroll 12
    for (__m256& x : chain) x = _mm256_fmadd_ps(x, factor, term);
  }
  __m256 sum = _mm256_setzero_ps();
#pragma GCC unroll 12
  for (const __m256& x : chain) sum = _mm256_add_ps(sum, x);
  return _mm256_cvtss_f32(sum);
}

__attribute__((target("avx512f"))) float run_avx512(std::int64_t rounds) {
  const __m512 factor = _mm512_set1_ps(kFactor);
  const __m512 term = _mm512_set1_ps(kTerm);
  __m512 chain[kChains];
#pragma GCC unroll 12
  for (int i = 0; i < kChains; ++i) chain[i] = _mm512_set1_ps(start(i));
  for (std::int64_t round = 0; round < rounds; ++round) {
#pragma GCC unroll 12
    for (__m512& x : chain) x = _mm512_fmadd_ps(x, factor, term);
  }
  __m512 sum = _mm512_setzero_ps();
#pragma GCC unroll 12
  for (const __m512& x : chain) sum = _mm512_add_ps(sum, x);
  return _mm512_cvtss_f32(sum);
}

#endif

}  // namespace

#if defined(__x86_64__)

MultiplyAdd multiply_add() {
  switch (widest_isa()) {
    case Isa::avx512:
      return {"AVX-512", kFlops * 16, run_avx512};
    case Isa::avx2:
      return {"AVX2", kFlops * 8, run_avx2};
    case Isa::portable:
      break;
  }
  return {"SSE2", kFlops * 4, run_portable};
}

#else

MultiplyAdd multiply_add() {
  return {"portable", kFlops * 4, run_portable};
}

#endif

}  // namespace lockstep::machine
