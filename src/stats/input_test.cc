#include "stats/input.h"

#include <gtest/gtest.h>

#include "stats/ranks.h"

namespace lockstep::stats {
namespace {

// Ten seconds of steps, for half of which, or less, it waited for 2 threads that made 100 images.
RankSamples rank(double waited) {
  RankSamples rank;
  rank.timed = {{.step = 0, .begin = 5, .end = 10}, {.step = 1, .begin = 10, .end = 15}};
  rank.input = {
      .threads = 2, .stages = {1, 8, 0, 1}, .waited = waited, .images = 100, .skipped = 3};
  return rank;
}

TEST(Input, IsLimitedByItsSlowestStageWhereTrainingWaits) {
  const std::optional<InputSummary> summary = summarise_input(std::vector{rank(5), rank(0)});
  ASSERT_TRUE(summary);
  EXPECT_EQ(summary->images, 200);
  EXPECT_EQ(summary->skipped, 6);
  EXPECT_EQ(summary->images_per_second, (std::array<double, 4>{400, 50, 0, 400}));
  EXPECT_EQ(summary->all_per_second, 40) << "no faster than the stages after each other";
  EXPECT_EQ(summary->waited, 0.25);
  EXPECT_EQ(summary->limited_by, "decode");
}

TEST(Input, IsNoLimitWhereTrainingDoesNotWait) {
  EXPECT_EQ(summarise_input(std::vector{rank(0.09)})->limited_by, "compute");
}

TEST(Input, OfMadeUpImagesIsNothing) {
  RankSamples synthetic = rank(0);
  synthetic.input = {};
  EXPECT_FALSE(summarise_input(std::vector{synthetic}));
}

}  // namespace
}  // namespace lockstep::stats
