#include "report/closing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace lockstep::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

result::Measured measured_run() {
  result::Measured measured;
  measured.summary.step_median = 0.4321;
  measured.summary.step_p95 = 1.25;
  measured.summary.images_per_second_interval = {71.94, 75.06};
  measured.usage = {.warmup_steps = 3,
                    .seconds_to_first_step = 0.8,
                    .peak_rss_bytes = std::int64_t{3} << 29,
                    .gflops = 32,
                    .peak_gflops = 128};
  return measured;
}

TEST(Closing, SaysTheRunInOneSentence) {
  EXPECT_EQ(
      closing_text(measured_run()),
      "median step 432.10 ms, p95 1.25 s; 95 % interval 71.9 to 75.1 images/s; 32.0 effective "
      "GFLOP/s, 25 % of the peak; peak memory 1.50 GiB; first step after 0.8 s; J/image not "
      "available");
}

TEST(Closing, LeavesOutWhatIsNotKnown) {
  result::Measured unknown = measured_run();
  unknown.summary.images_per_second_interval->high = INFINITY;
  EXPECT_THAT(closing_text(unknown), HasSubstr("interval from 71.9 images/s, no upper bound; "));
  unknown.summary.images_per_second_interval.reset();
  unknown.usage.peak_gflops.reset();
  EXPECT_THAT(closing_text(unknown), Not(HasSubstr("interval")));
  EXPECT_THAT(closing_text(unknown), HasSubstr("32.0 effective GFLOP/s; peak memory"));
}

TEST(Closing, SaysWhatTheInputCost) {
  result::Measured real = measured_run();
  real.input = {.images_per_second = {900, 75, 0, 0},
                .all_per_second = 69.2,
                .waited = 0.125,
                .limited_by = "decode"};
  EXPECT_THAT(
      closing_text(real),
      HasSubstr("; waited for images 12.5 % of the time: the input alone makes 69 images/s, "
                "limited by decode; peak memory"));
  real.input = {.images_per_second = {900, 75, 0, 0}, .waited = 0.001};
  EXPECT_THAT(closing_text(real), HasSubstr("waited for images 0.1 % of the time; peak memory"));
}

TEST(Closing, SaysHowOldGradientsWere) {
  result::Measured asynchronous = measured_run();
  asynchronous.servers.resize(2);
  asynchronous.servers[0].gradients = 30;
  asynchronous.servers[0].staleness_mean = 1;
  asynchronous.servers[0].staleness_max = 4;
  asynchronous.servers[1].gradients = 10;
  asynchronous.servers[1].staleness_mean = 2;
  asynchronous.servers[1].staleness_max = 3;
  EXPECT_THAT(closing_text(asynchronous),
              HasSubstr("; gradients were 1.25 updates old on average, at most 4; peak"));
  asynchronous.servers[1].dropped = 5;
  EXPECT_THAT(closing_text(asynchronous),
              HasSubstr("; 12.5 % of the gradients came too late to count; peak"));
}

TEST(Closing, SaysWhatAnImageTakesWhereThatIsKnown) {
  result::Measured known = measured_run();
  known.usage.joules_per_image = 0.51234;
  known.usage.cost_per_million_images = 12.3456;
  EXPECT_THAT(closing_text(known), HasSubstr("; 0.512 J/image; a million images cost 12.3"));
}

TEST(Closing, ExplainsHowThePeakCanBePassed) {
  result::Measured fast = measured_run();
  fast.usage.gflops = 1.5 * *fast.usage.peak_gflops;
  EXPECT_THAT(closing_text(fast), HasSubstr("150 % of the peak (which is possible: "));
}

}  // namespace
}  // namespace lockstep::report
