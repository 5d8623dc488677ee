#include "kernel/winograd_steps.h"

namespace lockstep::kernel::winograd {

std::vector<const Steps*> available_steps(Size taps) {
  std::vector<const Steps*> available;
#if defined(__x86_64__)
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (avx2 && avx2_steps(taps) != nullptr) available.push_back(avx2_steps(taps));
#endif
  if (portable_steps(taps) != nullptr) available.push_back(portable_steps(taps));
  return available;
}

}  // namespace lockstep::kernel::winograd
