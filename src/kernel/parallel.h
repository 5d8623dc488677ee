#pragma once

#include <omp.h>

#include <algorithm>
#include <cstdint>

namespace lockstep::kernel {

// Calls f(begin, end) on every thread of the caller's team with equal shares of [0, n), in order of
// the threads: the same split every time, so sums are repeatable. Too little work for a second
// thread (`grain` items) runs on the caller alone, without a region: a smaller team would make
// libgomp end the surplus threads.
template <typename F>
void parallel_for(std::int64_t n, std::int64_t grain, const F& f) {
  const int threads = omp_get_max_threads();
  if (threads == 1 || n < 2 * grain) {
    f(std::int64_t{0}, n);
    return;
  }
#pragma omp parallel num_threads(threads)
  {
    const std::int64_t team = omp_get_num_threads();
    const std::int64_t me = omp_get_thread_num();
    f(n * me / team, n * (me + 1) / team);
  }
}

// Calls f(i) for each i in [0, n), each on a thread of its own where the team has as many: for work
// that is already divided into one share per thread.
template <typename F>
void parallel_each(int n, const F& f) {
  parallel_for(n, 1, [&](std::int64_t begin, std::int64_t end) {
    for (auto i = static_cast<int>(begin); i < end; ++i) f(i);
  });
}

}  // namespace lockstep::kernel
