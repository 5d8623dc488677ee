#include "kernel/winograd_steps.h"

namespace lockstep::kernel::winograd {

std::vector<const Steps*> available_steps() {
  std::vector<const Steps*> available;
#if defined(__x86_64__)
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (kAvx2Steps != nullptr && avx2) available.push_back(kAvx2Steps);
#endif
  available.push_back(&kPortableSteps);
  return available;
}

}  // namespace lockstep::kernel::winograd
