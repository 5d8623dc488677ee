#include "base/terminal.h"

#include <gtest/gtest.h>

#include <map>

namespace lockstep {
namespace {

bool colours(bool is_terminal, const std::map<std::string, std::string>& variables) {
  return wants_colour(is_terminal, [&](const char* name) -> const char* {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

TEST(Terminal, GetsColoursAndAFileDoesNot) {
  EXPECT_TRUE(colours(true, {}));
  EXPECT_TRUE(colours(true, {{"TERM", "xterm"}}));
  EXPECT_FALSE(colours(false, {}));
}

TEST(Terminal, HonoursNoColorAboveAll) {
  EXPECT_FALSE(colours(true, {{"NO_COLOR", "1"}}));
  EXPECT_FALSE(colours(true, {{"NO_COLOR", "1"}, {"CLICOLOR_FORCE", "1"}}));
  EXPECT_TRUE(colours(true, {{"NO_COLOR", ""}}));
}

TEST(Terminal, HonoursForceForFilesAndDumbTerminals) {
  EXPECT_TRUE(colours(false, {{"CLICOLOR_FORCE", "1"}}));
  EXPECT_TRUE(colours(true, {{"CLICOLOR_FORCE", "1"}, {"TERM", "dumb"}, {"CLICOLOR", "0"}}));
  EXPECT_FALSE(colours(false, {{"CLICOLOR_FORCE", "0"}}));
}

TEST(Terminal, StaysPlainWhenDumbOrToldSo) {
  EXPECT_FALSE(colours(true, {{"TERM", "dumb"}}));
  EXPECT_FALSE(colours(true, {{"CLICOLOR", "0"}}));
}

TEST(Terminal, PaintsOnlyWhenWanted) {
  EXPECT_EQ(paint("error", Colour::red, true), "\x1b[1;31merror\x1b[0m");
  EXPECT_EQ(paint("error", Colour::red, false), "error");
}

}  // namespace
}  // namespace lockstep
