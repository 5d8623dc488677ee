#include "machine/peak.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif
#include <omp.h>

#include <algorithm>
#include <cstdint>

#include "base/clock.h"
#include "machine/isa.h"

namespace lockstep::machine {
namespace {

// Two units with a latency of four or five cycles are kept busy by ten independent chains; twelve
// and two constants still fit into sixteen registers.
constexpr int kChains = 12;
// Chains converge to a small number: nothing overflows or becomes denormal, however long they run.
constexpr float kFactor = 0.5F;
constexpr float kTerm = 1.0F;
// A start of its own for each, none at the point that they converge to: the compiler computes equal
// chains once, and constant ones never.
constexpr float start(int chain) {
  return static_cast<float>(-chain);
}

// `rounds` multiply-adds on every lane of every chain. Returns a value that depends on them all,
// lest the compiler drop them.
using Kernel = float(std::int64_t rounds);

struct Variant {
  const char* instructions;
  int lanes;
  Kernel* run;
};

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

Variant widest() {
  switch (widest_isa()) {
    case Isa::avx512:
      return {"AVX-512", 16, run_avx512};
    case Isa::avx2:
      return {"AVX2", 8, run_avx2};
    case Isa::portable:
      break;
  }
  return {"SSE2", 4, run_portable};
}

#else

Variant widest() {
  return {"portable", 4, run_portable};
}

#endif

// Seconds that the slowest thread of the team takes, all starting together.
double time_team(Kernel* run, std::int64_t rounds) {
  double begin = 0;
  [[maybe_unused]] volatile float sink = 0;
#pragma omp parallel
  {
#pragma omp barrier
#pragma omp master
    begin = now();
    const float result = run(rounds);
#pragma omp critical(peak_sink)
    sink = result;
  }
  return now() - begin;
}

}  // namespace

Peak measure_peak(double seconds) {
  constexpr int kRuns = 5;
  const Variant variant = widest();
  const int threads = omp_get_max_threads();
  // Long enough for the clock, and for the processor to leave its idle state: as many rounds as
  // take each run's share of the time.
  std::int64_t rounds = 1 << 10;
  double best = time_team(variant.run, rounds);
  while (best < seconds / (2 * kRuns)) {
    rounds *= 2;
    best = time_team(variant.run, rounds);
  }
  for (int run = 1; run < kRuns; ++run) best = std::min(best, time_team(variant.run, rounds));

  const double flops = 2.0 * kChains * variant.lanes * static_cast<double>(rounds) * threads;
  return {flops / best * 1e-9, threads, variant.instructions};
}

}  // namespace lockstep::machine
