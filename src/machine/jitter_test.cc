#include "machine/jitter.h"

#include <gmock/gmock.h>

#include <thread>

#include "machine/cores.h"

namespace lockstep::machine {
namespace {

using testing::Each;
using testing::Gt;
using testing::SizeIs;

TEST(Repetitions, AreManyOnEveryThreadOfTheTeam) {
  std::thread([] {
    const std::vector<int> group = place(allowed(), 1, 0).front();
    join_team(group);
    const auto threads = measure_repetitions(0.02);
    EXPECT_THAT(threads, SizeIs(group.size()));
    EXPECT_THAT(threads, Each(SizeIs(Gt(1U))));
    EXPECT_THAT(threads, Each(Each(Gt(0.0))));
  }).join();
}

}  // namespace
}  // namespace lockstep::machine
