#include "report/speed_bars.h"

#include <gmock/gmock.h>

#include "base/text.h"
#include "report/report_for_test.h"

namespace lockstep::report {
namespace {

using testing::HasSubstr;

// One that failed, one of which launches differ.
result::SweepResults three_points() {
  spec::Sweep sweep;
  sweep.models = {{"net", 8}};
  sweep.devices = {1, 2};
  stats::PointRecord noisy = measured(90);
  noisy.launches[1]->images_per_second = 100;
  return report_of(sweep, {measured(50, 1), noisy, failed("out of memory")});
}

TEST(SpeedBars, AreAsLongAsTheSpeedsAndShowIntervals) {
  const std::string text = speed_bars(three_points(), 60, false);
  EXPECT_EQ(text,
            "images/s, by devices\n"
            "\n"
            "net, weak scaling, batch 8 per device\n"
            "  1 replicated    50.0 ################\n"
            "  2 replicated    93.8 ##########################====++++\n"
            "  2 independent failed\n"
            "\n"
            "= and +: the 95 % interval, below and above the speed\n");
}

TEST(SpeedBars, FitTheTerminal) {
  for (const std::size_t width : {20, 40, 60, 80, 200}) {
    for (const std::string& line : split(speed_bars(three_points(), width, false), '\n')) {
      EXPECT_LE(line.size(), std::max<std::size_t>(width, 24));
    }
  }
}

TEST(SpeedBars, AreColouredWhereThatIsWanted) {
  EXPECT_THAT(speed_bars(three_points(), 60, true), HasSubstr("\x1b[1;31mfailed\x1b[0m"));
}

}  // namespace
}  // namespace lockstep::report
