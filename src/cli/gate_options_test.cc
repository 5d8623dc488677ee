#include "cli/gate_options.h"

#include <gmock/gmock.h>

#include "base/error.h"

namespace lockstep::cli {
namespace {

GateOptions gate_options(const std::vector<std::string>& arguments) {
  return parse_gate(arguments, [](const char*) { return nullptr; });
}

TEST(ParseGate, TakesABaselineAndACandidateInAnyOrder) {
  for (const auto& arguments : {std::vector<std::string>{"--baseline", "a", "b"},
                                {"b", "--baseline=a"},
                                {"--strict", "--baseline=a", "--", "b"}}) {
    const GateOptions options = gate_options(arguments);
    EXPECT_EQ(options.baseline, "a");
    EXPECT_EQ(options.candidate, "b");
    EXPECT_DOUBLE_EQ(options.min_effect, 0.02);
  }
}

TEST(ParseGate, TakesADirectoryThatLooksLikeAFlagBehindTwoDashes) {
  EXPECT_EQ(gate_options({"--baseline=a", "--", "--strict"}).candidate, "--strict");
}

TEST(ParseGate, TakesTheMinimumEffectAsAShareOrInPercent) {
  EXPECT_DOUBLE_EQ(gate_options({"--baseline=a", "b", "--min_effect", "5%"}).min_effect, 0.05);
  EXPECT_DOUBLE_EQ(gate_options({"--baseline=a", "b", "--min-effect=0.1"}).min_effect, 0.1);
  EXPECT_DOUBLE_EQ(gate_options({"--baseline=a", "b", "--min_effect=0"}).min_effect, 0);
  for (const char* wrong : {"2", "-1%", "100%", "%", "nan", "two", "inf"}) {
    EXPECT_THROW(gate_options({"--baseline=a", "b", std::string("--min_effect=") + wrong}), Error)
        << wrong;
  }
}

TEST(ParseGate, RefusesOneOrThreeDirectories) {
  EXPECT_THROW(gate_options({"--baseline=a"}), Error);
  EXPECT_THROW(gate_options({"a"}), Error);
  EXPECT_THROW(gate_options({"--baseline=a", "b", "c"}), Error);
}

TEST(ParseGate, RefusesAnnotationsInAJsonDocument) {
  EXPECT_THROW(gate_options({"--baseline=a", "b", "--json", "--annotations"}), Error);
}

}  // namespace
}  // namespace lockstep::cli
