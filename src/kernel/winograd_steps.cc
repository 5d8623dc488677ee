#include "kernel/winograd_steps.h"

namespace lockstep::kernel::winograd {

std::vector<const Steps*> available_steps(const Form& form, int lanes) {
  std::vector<const Steps*> known;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) known.push_back(avx512_steps(form));
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (avx2) known.push_back(avx2_steps(form));
#endif
  known.push_back(portable_steps(form));
  std::erase_if(known, [&](const Steps* s) { return s == nullptr || s->lanes != lanes; });
  return known;
}

}  // namespace lockstep::kernel::winograd
