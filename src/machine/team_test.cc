#include <gmock/gmock.h>
#include <omp.h>
#include <sched.h>

#include <algorithm>
#include <limits>
#include <thread>

#include "base/affinity.h"
#include "base/error.h"
#include "machine/cores.h"

namespace lockstep::machine {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAreArray;

using Masks = std::vector<std::vector<int>>;

// The masks of all threads of the calling thread's team, checked against where they really run.
Masks masks_in_region() {
  Masks masks(static_cast<std::size_t>(omp_get_max_threads()));
#pragma omp parallel
  {
    const std::vector<int> mask = bound_processors();
    EXPECT_TRUE(std::ranges::count(mask, sched_getcpu()) == 1);
    masks[static_cast<std::size_t>(omp_get_thread_num())] = mask;
  }
  return masks;
}

// On a thread of its own, so that the test's keeps its mask.
template <typename Body>
void on_new_thread(const Body& body) {
  std::thread(body).join();
}

TEST(Team, BindsItsWorkersToOneProcessorEachAndItsMasterToAllOfThem) {
  const std::vector<int> group = place(allowed(), 1, std::min(2, allowed().usable)).front();
  on_new_thread([&] {
    join_team(group);
    const Masks masks = masks_in_region();
    ASSERT_EQ(group.size(), masks.size());
    EXPECT_THAT(masks.front(), UnorderedElementsAreArray(group));
    for (std::size_t worker = 1; worker < group.size(); ++worker) {
      EXPECT_THAT(masks[worker], ElementsAre(group[worker]));
    }
  });
}

TEST(Team, StaysOnItsProcessorsBesideAnotherOne) {
  const auto groups = place(allowed(), std::min(2, allowed().usable), 1);
  std::vector<std::thread> masters;
  for (const std::vector<int>& group : groups) {
    masters.emplace_back([&group] {
      join_team(group);
      for (int step = 0; step < 200; ++step) {
        ASSERT_THAT(masks_in_region(), ElementsAre(group));
        settle_team();
      }
    });
  }
  for (std::thread& master : masters) master.join();
}

TEST(Team, PinsWorkersThatLibgompStartedAnew) {
  const std::vector<int> processors = allowed().processors;
  const std::vector<int> group = {processors.front(), processors.back(), processors.back()};
  on_new_thread([&] {
    join_team(group);
    // The third thread leaves after a region of two and is made anew for the next one of three.
#pragma omp parallel num_threads(2)
    { EXPECT_EQ(2, omp_get_num_threads()); }
    settle_team();
    EXPECT_THAT(masks_in_region()[2], ElementsAre(group[2]));
  });
}

#ifdef __x86_64__
TEST(Team, TakesTinyNumbersForZeroOnEveryThread) {
  on_new_thread([] {
    join_team(place(allowed(), 1, std::min(2, allowed().usable)).front());
    std::vector<float> halves(static_cast<std::size_t>(omp_get_max_threads()));
#pragma omp parallel
    {
      volatile float tiny = std::numeric_limits<float>::min();
      halves[static_cast<std::size_t>(omp_get_thread_num())] = tiny / 2;
    }
    EXPECT_THAT(halves, testing::Each(0.0F));
  });
}
#endif

TEST(Team, LeavesTheMaskOfOtherThreadsAlone) {
  const std::vector<int> before = bound_processors();
  on_new_thread([&] { join_team(std::span(before).first(1)); });
  EXPECT_EQ(before, bound_processors());
}

TEST(Team, RefusesProcessorsThatTheMachineLacks) {
  on_new_thread([] { EXPECT_THROW(join_team(std::vector<int>{100000}), Error); });
}

}  // namespace
}  // namespace lockstep::machine
