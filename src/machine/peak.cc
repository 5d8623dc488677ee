#include "machine/peak.h"

#include <omp.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/clock.h"
#include "machine/multiply_add.h"

namespace lockstep::machine {
namespace {

// Seconds that the slowest thread of the team takes, all starting together.
double time_team(const MultiplyAdd& work, std::int64_t rounds) {
  double begin = 0;
  [[maybe_unused]] volatile float sink = 0;
#pragma omp parallel
  {
#pragma omp barrier
#pragma omp master
    begin = now();
    const float result = work.run(rounds);
#pragma omp critical(peak_sink)
    sink = result;
  }
  return now() - begin;
}

}  // namespace

Peak measure_peak(double seconds) {
  constexpr int kRuns = 5;
  const MultiplyAdd work = multiply_add();
  const int threads = omp_get_max_threads();
  // Long enough for the clock, and for the processor to leave its idle state: as many rounds as
  // take each run's share of the time.
  std::int64_t rounds = 1 << 10;
  double best = time_team(work, rounds);
  while (best < seconds / (2 * kRuns)) {
    rounds *= 2;
    best = time_team(work, rounds);
  }
  for (int run = 1; run < kRuns; ++run) best = std::min(best, time_team(work, rounds));

  const double flops = static_cast<double>(work.flops) * static_cast<double>(rounds) * threads;
  return {flops / best * 1e-9, threads, work.instructions};
}

double sum_of_peaks(std::span<const DevicePeak> devices) {
  std::map<std::pair<int, std::string>, double> peaks;
  for (const DevicePeak& device : devices) {
    double& peak = peaks[{device.host, device.processors}];
    peak = std::max(peak, device.gflops);
  }
  double sum = 0;
  for (const auto& [place, peak] : peaks) sum += peak;
  return sum;
}

}  // namespace lockstep::machine
