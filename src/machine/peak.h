#pragma once

#include <span>
#include <string>

namespace lockstep::machine {

// The rate of the fastest possible arithmetic, measured: independent fused multiply-adds in
// registers on every thread of the calling thread's team, best of several short runs.
struct Peak {
  double gflops = 0;  // single precision, 2 per multiply-add
  int threads = 0;
  const char* instructions = "";  // "AVX-512", "AVX2" or "SSE2"
};
Peak measure_peak(double seconds = 0.05);

// What devices have together, each with its host, its processors as ranges() writes them, and its
// peak. Devices on the same processors take turns: they have one peak between them, the highest
// that any of them has seen.
struct DevicePeak {
  int host = 0;
  std::string processors;
  double gflops = 0;
};
double sum_of_peaks(std::span<const DevicePeak> devices);

}  // namespace lockstep::machine
