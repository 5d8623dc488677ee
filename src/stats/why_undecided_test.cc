#include "stats/why_undecided.h"

#include <gmock/gmock.h>

namespace lockstep::stats {
namespace {

using testing::HasSubstr;

TEST(WhyUndecided, NamesTheEffectThatIsDecidedNow) {
  const Launches before = {100, 100, 100}, now = {95, 100, 106};
  const auto comparison = compare(now, before, 0.02);
  ASSERT_EQ(comparison->verdict, Verdict::undecided);
  const std::string reason = why_undecided(comparison->ratio, 0.02);
  EXPECT_EQ(
      reason,
      "the interval over 3 launches is too wide for 2 %: about 60 more launches of each would "
      "decide it; with --min_effect=15% it is SAME now");
  EXPECT_EQ(compare(now, before, 0.15)->verdict, Verdict::same);
  EXPECT_EQ(compare(now, before, 0.14)->verdict, Verdict::undecided);
}

TEST(WhyUndecided, AsksForAFewLaunchesWhereTheDifferenceIsJustTheEffect) {
  const auto comparison = compare({101.9, 102, 102.1}, {100, 100, 100}, 0.02);
  ASSERT_EQ(comparison->verdict, Verdict::undecided);
  EXPECT_THAT(why_undecided(comparison->ratio, 0.02), HasSubstr("a few more launches may"));
}

TEST(WhyUndecided, PromisesNothingForNoEffectAtAll) {
  const auto comparison = compare({95, 100, 106}, {100, 100, 100}, 0);
  EXPECT_THAT(why_undecided(comparison->ratio, 0), HasSubstr("not even 10000 launches would"));
}

TEST(WhyUndecided, SaysThatOneLaunchHasNoInterval) {
  EXPECT_THAT(why_undecided(compare({50}, {100})->ratio, 0.02), HasSubstr("one launch of each"));
}

}  // namespace
}  // namespace lockstep::stats
