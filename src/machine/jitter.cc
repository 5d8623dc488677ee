#include "machine/jitter.h"

#include <omp.h>

#include "base/clock.h"
#include "machine/multiply_add.h"

namespace lockstep::machine {
namespace {

// Short beside a scheduler's slices, long beside a reading of the clock.
constexpr double kRepetition = 1e-4;

double time_of(const MultiplyAdd& work, std::int64_t rounds) {
  const double begin = now();
  [[maybe_unused]] const volatile float sink = work.run(rounds);
  return now() - begin;
}

}  // namespace

std::vector<std::vector<double>> measure_repetitions(double seconds) {
  const MultiplyAdd work = multiply_add();
  std::int64_t rounds = 1 << 8;
  while (time_of(work, rounds) < kRepetition) rounds *= 2;
  std::vector<std::vector<double>> threads(static_cast<std::size_t>(omp_get_max_threads()));
#pragma omp parallel
  {
    std::vector<double>& mine = threads[static_cast<std::size_t>(omp_get_thread_num())];
    mine.reserve(static_cast<std::size_t>(2 * seconds / kRepetition));
#pragma omp barrier
    const double end = now() + seconds;
    do {
      mine.push_back(time_of(work, rounds));
    } while (now() < end);
  }
  return threads;
}

}  // namespace lockstep::machine
