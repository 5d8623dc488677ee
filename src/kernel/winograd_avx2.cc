// The steps with AVX2 and FMA. What other headers define must stand before the choice: a function
// of theirs that is compiled behind it could become everybody's.
#include "kernel/winograd_steps.h"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#include <immintrin.h>

#pragma GCC target("avx2,fma")
#include "kernel/winograd_steps_impl.h"

namespace lockstep::kernel::winograd {
namespace {
constexpr Steps kSteps = steps("avx2");
}  // namespace

constinit const Steps* const kAvx2Steps = &kSteps;

}  // namespace lockstep::kernel::winograd
#else
namespace lockstep::kernel::winograd {

constinit const Steps* const kAvx2Steps = nullptr;

}  // namespace lockstep::kernel::winograd
#endif
