#pragma once

namespace lockstep::machine {

// The rate of the fastest possible arithmetic, measured: independent fused multiply-adds in
// registers on every thread of the calling thread's team, best of several short runs.
struct Peak {
  double gflops = 0;  // single precision, 2 per multiply-add
  int threads = 0;
  const char* instructions = "";  // "AVX-512", "AVX2" or "SSE2"
};
Peak measure_peak(double seconds = 0.05);

}  // namespace lockstep::machine
