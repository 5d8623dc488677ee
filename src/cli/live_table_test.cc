#include "cli/live_table.h"

#include <gtest/gtest.h>

namespace lockstep::cli {
namespace {

TEST(LiveTable, IsCutToTheSizeOfTheTerminal) {
  EXPECT_EQ(fitted("one\ntwo\n", 10, 2), "one\ntwo\n");
  EXPECT_EQ(fitted("one\ntwo\nthree\n", 10, 2), "one\n...\n");
  EXPECT_EQ(fitted("a longer line\n", 10, 2), "a longe...\n");
}

}  // namespace
}  // namespace lockstep::cli
