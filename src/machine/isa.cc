#include "machine/isa.h"

namespace lockstep::machine {

Isa widest_isa() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return Isa::avx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return Isa::avx2;
#endif
  return Isa::portable;
}

}  // namespace lockstep::machine
