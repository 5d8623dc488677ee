#include <omp.h>
#include <sched.h>
#ifdef __x86_64__
#include <immintrin.h>
#endif

#include <exception>

#include "base/affinity.h"
#include "base/check.h"
#include "base/error.h"
#include "machine/cores.h"

namespace lockstep::machine {
namespace {

thread_local std::vector<int> team;  // the processors of the team that this thread is master of
thread_local int pinned_to = -1;     // the one processor of this thread, where it is a worker

// libgomp lets workers exit after a smaller region and starts new ones later, which inherit the
// master's mask. So the master may run on all processors of the team, lest new workers crowd on
// one of them; but it is put back on the first, the one that no worker is pinned to.
void go_home() {
  if (sched_getcpu() == team.front()) return;
  bind_thread(std::span(team).first(1));
  bind_thread(team);
}

// Numbers too small for the normal format cost the processor a hundred times as much and are zero
// to any network: the optimizer's slots of an idle parameter pass through them for many steps.
void flush_tiny_numbers() {
#ifdef __x86_64__
  constexpr unsigned kFlushToZero = 0x8000;
  constexpr unsigned kDenormalsAreZero = 0x0040;
  _mm_setcsr(_mm_getcsr() | kFlushToZero | kDenormalsAreZero);
#endif
}

}  // namespace

void join_team(std::span<const int> processors) {
  LOCKSTEP_CHECK(!processors.empty());
  bind_thread(processors);
  team.assign(processors.begin(), processors.end());
  omp_set_num_threads(static_cast<int>(team.size()));
  settle_team();
}

void settle_team() {
  flush_tiny_numbers();
  if (team.size() < 2) return;  // alone: bound to its one processor for good
  go_home();
  const std::span<const int> processors = team;  // a worker's `team` is another one
  const int size = static_cast<int>(processors.size());
  int present = 0;
  std::exception_ptr failure;
#pragma omp parallel num_threads(size)
  {
    const int self = omp_get_thread_num();
    flush_tiny_numbers();
    if (self == 0) {
      present = omp_get_num_threads();
    } else if (const int home = processors[static_cast<std::size_t>(self)]; pinned_to != home) {
      try {
        bind_thread({&home, 1});
        pinned_to = home;
      } catch (...) {
#pragma omp critical(settle_team_failure)
        failure = std::current_exception();
      }
    }
  }
  if (failure) std::rethrow_exception(failure);
  if (present != size) {
    throw Error(ExitCode::environment,
                fmt::format("OpenMP gives {} of the {} threads of a device", present, size),
                "unset OMP_THREAD_LIMIT, OMP_DYNAMIC and OMP_MAX_ACTIVE_LEVELS");
  }
}

}  // namespace lockstep::machine
