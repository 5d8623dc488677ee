#include "machine/clock_source.h"

#include <gtest/gtest.h>

#include "machine/fake_root.h"

namespace lockstep::machine {
namespace {

TEST(ClockSource, IsTheKernelsWithAMeasuredCost) {
  FakeRoot root;
  root.put("sys/devices/system/clocksource/clocksource0/current_clocksource", "hpet");
  EXPECT_EQ(clock_source(root.path()).name, "hpet");
  EXPECT_GT(clock_source(root.path()).read_ns, 0);
}

}  // namespace
}  // namespace lockstep::machine
