#include "base/error.h"

#include <gtest/gtest.h>

#include "base/check.h"

namespace lockstep {
namespace {

TEST(Error, CarriesItsCodeMessageAndHint) {
  try {
    throw Error(ExitCode::usage, "unknown model resnet5", "did you mean resnet50?");
  } catch (const std::exception& caught) {
    const auto& error = dynamic_cast<const Error&>(caught);
    EXPECT_EQ(ExitCode::usage, error.code());
    EXPECT_STREQ("unknown model resnet5", error.what());
    EXPECT_EQ("did you mean resnet50?", error.hint());
  }
}

TEST(Error, NeedsNoHint) {
  EXPECT_EQ("", Error(ExitCode::launch, "no hosts").hint());
}

TEST(Check, LetsWhatHoldsPass) {
  int evaluations = 0;
  LOCKSTEP_CHECK(++evaluations == 1);
  EXPECT_EQ(1, evaluations);
}

TEST(CheckDeathTest, AbortsWithTheConditionAndThePlace) {
  EXPECT_DEATH(LOCKSTEP_CHECK(2 + 2 == 5), "internal error: expected 2 \\+ 2 == 5 in .*error_test");
}

}  // namespace
}  // namespace lockstep
