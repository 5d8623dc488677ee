// The steps with AVX2 and FMA. What other headers define must stand before the choice: a function
// of theirs that is compiled behind it could become everybody's.
#include <utility>

#include "kernel/winograd_points.h"
#include "kernel/winograd_steps.h"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#include <immintrin.h>

#pragma GCC target("avx2,fma")
namespace lockstep::kernel::winograd {
namespace {

constexpr int kLanes = 8;
using Floats [[gnu::vector_size(kLanes * sizeof(float)), gnu::may_alias]] = float;

struct Machine {
  static constexpr auto kName = "avx2";

  [[gnu::always_inline]] static void stream(Floats* to, const Floats& value) {
    _mm256_stream_ps(reinterpret_cast<float*>(to), value);
  }
  static void fence() { _mm_sfence(); }

  // Sixteen registers must hold twelve sums, three vectors and the scalar. Left to itself the
  // compiler reads vectors from memory in each multiplication, or moves sums about; with the
  // scalar's register given, it does neither.
  template <int vectors>
  [[gnu::always_inline]] static void add_products(Floats* sum, const Floats* factor,
                                                  const float& scalar) {
    if constexpr (vectors == 1) {
      asm("vbroadcastss %2, %%ymm15\n\t"
          "vfmadd231ps %1, %%ymm15, %0"
          : "+x"(sum[0])
          : "x"(factor[0]), "m"(scalar)
          : "xmm15");
    } else if constexpr (vectors == 2) {
      asm("vbroadcastss %4, %%ymm15\n\t"
          "vfmadd231ps %2, %%ymm15, %0\n\t"
          "vfmadd231ps %3, %%ymm15, %1"
          : "+x"(sum[0]), "+x"(sum[1])
          : "x"(factor[0]), "x"(factor[1]), "m"(scalar)
          : "xmm15");
    } else {
      static_assert(vectors == 3);
      asm("vbroadcastss %6, %%ymm15\n\t"
          "vfmadd231ps %3, %%ymm15, %0\n\t"
          "vfmadd231ps %4, %%ymm15, %1\n\t"
          "vfmadd231ps %5, %%ymm15, %2"
          : "+x"(sum[0]), "+x"(sum[1]), "+x"(sum[2])
          : "x"(factor[0]), "x"(factor[1]), "x"(factor[2]), "m"(scalar)
          : "xmm15");
    }
  }
};

}  // namespace
}  // namespace lockstep::kernel::winograd

#include "kernel/winograd_steps_impl.h"

namespace lockstep::kernel::winograd {

const Steps* avx2_steps(const Form& form) {
  return steps_of(form);
}

}  // namespace lockstep::kernel::winograd
#else
namespace lockstep::kernel::winograd {

const Steps* avx2_steps(const Form&) {
  return nullptr;
}

}  // namespace lockstep::kernel::winograd
#endif
