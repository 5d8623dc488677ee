#include "data/thread_clock.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstdio>

#include "base/clock.h"

namespace lockstep::data {

ThreadClock::ThreadClock() noexcept
    : statistics_(open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC)) {}

double ThreadClock::now() const {
  std::uint64_t queued = nanoseconds_in_queue();
  while (true) {
    const double time = lockstep::now();
    // Others may have had the core between two looks: then they do not belong together.
    const std::uint64_t again = nanoseconds_in_queue();
    if (again == queued) return time - static_cast<double>(queued) * 1e-9;
    queued = again;
  }
}

std::uint64_t ThreadClock::nanoseconds_in_queue() const {
  std::array<char, 96> text{};
  unsigned long long ran = 0, queued = 0;
  if (statistics_ && pread(statistics_.get(), text.data(), text.size() - 1, 0) > 0) {
    std::sscanf(text.data(), "%llu %llu", &ran, &queued);
  }
  return queued;
}

}  // namespace lockstep::data
