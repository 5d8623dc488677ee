#include "machine/jitter.h"

#include <omp.h>

#include <algorithm>

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

// As many rounds as take so long on a core that nothing disturbs.
std::int64_t rounds_of_a_repetition(const MultiplyAdd& work) {
  std::int64_t rounds = 1 << 8;
  const auto least = [&] {
    double seconds = time_of(work, rounds);
    for (int i = 1; i < 5; ++i) seconds = std::min(seconds, time_of(work, rounds));
    return seconds;
  };
  while (least() < kRepetition) rounds *= 2;
  return rounds;
}

}  // namespace

std::vector<std::vector<double>> measure_repetitions(double seconds) {
  const MultiplyAdd work = multiply_add();
  const std::int64_t rounds = rounds_of_a_repetition(work);
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
