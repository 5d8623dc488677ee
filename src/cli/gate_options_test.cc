#include "cli/gate_options.h"

#include <gmock/gmock.h>

#include "base/error.h"

namespace lockstep::cli {
namespace {

const char* nothing(const char*) {
  return nullptr;
}

GateOptions parse(const std::vector<std::string>& arguments) {
  return parse_gate(arguments, nothing);
}

TEST(ParseGate, TakesABaselineAndACandidateInAnyOrder) {
  for (const auto& arguments : {std::vector<std::string>{"--baseline", "a", "b"},
                                {"b", "--baseline=a"},
                                {"--strict", "--baseline=a", "--", "b"}}) {
    const GateOptions options = parse(arguments);
    EXPECT_EQ(options.baseline, "a");
    EXPECT_EQ(options.candidate, "b");
    EXPECT_DOUBLE_EQ(options.min_effect, 0.02);
  }
}

TEST(ParseGate, TakesADirectoryThatLooksLikeAFlagBehindTwoDashes) {
  EXPECT_EQ(parse({"--baseline=a", "--", "--strict"}).candidate, "--strict");
}

TEST(ParseGate, TakesTheMinimumEffectAsAShareOrInPercent) {
  EXPECT_DOUBLE_EQ(parse({"--baseline=a", "b", "--min_effect", "5%"}).min_effect, 0.05);
  EXPECT_DOUBLE_EQ(parse({"--baseline=a", "b", "--min-effect=0.1"}).min_effect, 0.1);
  EXPECT_DOUBLE_EQ(parse({"--baseline=a", "b", "--min_effect=0"}).min_effect, 0);
  for (const char* wrong : {"2", "-1%", "100%", "%", "nan", "two", "inf"}) {
    EXPECT_THROW(parse({"--baseline=a", "b", std::string("--min_effect=") + wrong}), Error)
        << wrong;
  }
}

TEST(ParseGate, RefusesOneOrThreeDirectories) {
  EXPECT_THROW(parse({"--baseline=a"}), Error);
  EXPECT_THROW(parse({"a"}), Error);
  EXPECT_THROW(parse({"--baseline=a", "b", "c"}), Error);
}

TEST(ParseGate, RefusesAnnotationsInAJsonDocument) {
  EXPECT_THROW(parse({"--baseline=a", "b", "--json", "--annotations"}), Error);
}

}  // namespace
}  // namespace lockstep::cli
