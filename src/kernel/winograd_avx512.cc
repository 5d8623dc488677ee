// The steps with AVX-512. As in winograd_avx2.cc, what other headers define stands before the
// choice.
#include <utility>

#include "kernel/winograd_points.h"
#include "kernel/winograd_steps.h"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#include <immintrin.h>

#pragma GCC target("avx512f,avx2,fma")
namespace lockstep::kernel::winograd {
namespace {

constexpr int kLanes = 16;
using Floats [[gnu::vector_size(kLanes * sizeof(float)), gnu::may_alias]] = float;

struct Machine {
  static constexpr auto kName = "avx512";

  [[gnu::always_inline]] static void stream(Floats* to, const Floats& value) {
    _mm512_stream_ps(reinterpret_cast<float*>(to), value);
  }
  static void fence() { _mm_sfence(); }

  // Thirty-two registers are enough that the compiler needs no help.
  template <int vectors>
  [[gnu::always_inline]] static void add_products(Floats* sum, const Floats* factor,
                                                  const float& scalar) {
#pragma GCC unroll 3
    for (int i = 0; i < vectors; ++i) sum[i] += scalar * factor[i];
  }
};

}  // namespace
}  // namespace lockstep::kernel::winograd

#include "kernel/winograd_steps_impl.h"

namespace lockstep::kernel::winograd {

const Steps* avx512_steps(const Form& form) {
  return steps_of(form);
}

}  // namespace lockstep::kernel::winograd
#else
namespace lockstep::kernel::winograd {

const Steps* avx512_steps(const Form&) {
  return nullptr;
}

}  // namespace lockstep::kernel::winograd
#endif
