#include "data/thread_clock.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/resource.h>

#include <atomic>
#include <thread>

#include "base/clock.h"

namespace lockstep::data {
namespace {

TEST(ThreadClock, StandsStillWhileOthersHaveTheCore) {
  cpu_set_t all;
  ASSERT_EQ(sched_getaffinity(0, sizeof(all), &all), 0);
  cpu_set_t first;
  CPU_ZERO(&first);
  for (int cpu = 0; CPU_COUNT(&first) == 0; ++cpu) {
    if (CPU_ISSET(cpu, &all)) CPU_SET(cpu, &first);
  }
  std::atomic<bool> there = false, over = false;
  std::thread other([&] {
    sched_setaffinity(0, sizeof(first), &first);
    there = true;
    while (!over.load()) {
    }
  });
  std::thread polite([&] {
    sched_setaffinity(0, sizeof(first), &first);
    setpriority(PRIO_PROCESS, 0, 19);
    const ThreadClock clock;
    while (!there.load()) {
    }
    const double begin = lockstep::now();
    const double mine = clock.now();
    while (lockstep::now() - begin < 0.2) {
    }
    const double lasted = lockstep::now() - begin;
    EXPECT_GE(clock.now() - mine, 0);
    EXPECT_LT(clock.now() - mine, 0.7 * lasted);
  });
  polite.join();
  over = true;
  other.join();
}

}  // namespace
}  // namespace lockstep::data
