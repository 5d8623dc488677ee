#pragma once

namespace lockstep::machine {

// The instruction sets that there is code for. `portable` is what the compiler makes of plain C++
// for the baseline of the architecture: SSE2 on x86-64.
enum class Isa { portable, avx2, avx512 };

Isa widest_isa();  // that this processor runs

}  // namespace lockstep::machine
