#pragma once

#include <cstdint>

namespace lockstep::machine {

// Independent fused multiply-adds in registers, as wide as this processor has them: work that waits
// for nothing but the arithmetic units.
struct MultiplyAdd {
  const char* instructions;  // "AVX-512", "AVX2", "SSE2" or "portable"
  int flops;                 // of a round
  // Returns a value that depends on all rounds, lest the compiler drop them.
  float (*run)(std::int64_t rounds);
};
MultiplyAdd multiply_add();

}  // namespace lockstep::machine
