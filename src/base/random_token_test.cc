#include "base/random_token.h"

#include <gmock/gmock.h>

namespace lockstep {
namespace {

TEST(RandomToken, IsAnotherOneEachTime) {
  const std::string token = random_token();
  EXPECT_EQ(32U, token.size());
  EXPECT_THAT(token, testing::Each(testing::Truly([](char c) { return std::isxdigit(c) != 0; })));
  EXPECT_NE(token, random_token());
}

}  // namespace
}  // namespace lockstep
