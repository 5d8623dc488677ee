#include "result/result.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep::result {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Result, CarriesTheWarningsOfItsSummary) {
  const spec::Trial trial;
  const record::Sample sample{.begin = 0, .end = 2};
  const stats::Summary summary = stats::summarise({&sample, 1}, 16);
  const Result result = measured_result(trial, {}, {"first"}, {.summary = summary, .usage = {}});
  EXPECT_THAT(result.warnings, ElementsAre("first", HasSubstr("one step")));
  ASSERT_NE(result.measured(), nullptr);
  EXPECT_EQ(result.measured()->summary.images_per_second, 8);
  EXPECT_EQ(result.failure(), nullptr);
}

TEST(Result, OfAFailedTrialHasItsErrorAndNoNumber) {
  const spec::Trial trial;
  const Error error(ExitCode::rank_failed, "rank 3 died", "look at its log");
  const Result result = failed_result(trial, {}, {}, error);
  EXPECT_EQ(result.measured(), nullptr);
  ASSERT_NE(result.failure(), nullptr);
  EXPECT_EQ(result.failure()->code, ExitCode::rank_failed);
  EXPECT_EQ(result.failure()->message, "rank 3 died");
  EXPECT_EQ(result.failure()->hint, "look at its log");
}

TEST(Gflops, CountsForwardOnceAndTrainingThreeTimes) {
  EXPECT_DOUBLE_EQ(gflops(4e9, 10, spec::Mode::forward_only), 80);
  EXPECT_DOUBLE_EQ(gflops(4e9, 10, spec::Mode::evaluation), 80);
  EXPECT_DOUBLE_EQ(gflops(4e9, 10, spec::Mode::training), 240);
}

TEST(Energy, IsKnownWhereEveryHostTells) {
  std::vector<stats::RankSamples> ranks(4);
  ranks[0].joules = 30;
  ranks[2].joules = 12;
  EXPECT_DOUBLE_EQ(joules(ranks, 2).value(), 42);
  EXPECT_FALSE(joules(ranks, 3));
  EXPECT_FALSE(joules({}, 1));
}

TEST(Cost, IsThatOfAllHostsWhileAMillionImagesAreTaken) {
  EXPECT_DOUBLE_EQ(cost_per_million_images(3.6, 4, 1000), 4);
}

}  // namespace
}  // namespace lockstep::result
