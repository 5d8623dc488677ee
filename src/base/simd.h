#pragma once

// LOCKSTEP_SIMD_CLONES before a function: it is compiled twice, for AVX2 with FMA and for the
// baseline, and the loader picks by the processor. The instruction set has to be named by level:
// "arch=haswell" would match Intel's Haswell alone. Sanitizers cannot start before the loader's
// choice, and other compilers and architectures get the plain function.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define LOCKSTEP_SIMD_CLONES __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define LOCKSTEP_SIMD_CLONES
#endif
