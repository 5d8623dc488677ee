#include "base/table.h"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

TEST(Table, PadsColumnsToTheirWidestCell) {
  Table table({{"model", Table::Align::left}, {"images/s"}});
  table.add({"resnet50", "8.4"});
  table.add({"vgg16", "12345678.9"});
  EXPECT_EQ(
      "model       images/s\n"
      "--------  ----------\n"
      "resnet50         8.4\n"
      "vgg16     12345678.9\n",
      table.text());
}

TEST(Table, LeavesNoSpaceAtTheEndOfALine) {
  Table table({{"n"}, {"note", Table::Align::left}});
  table.add({"1", ""});
  table.add({"2", "warm"});
  EXPECT_EQ(
      "n  note\n"
      "-  ----\n"
      "1\n"
      "2  warm\n",
      table.text());
}

TEST(Table, WithoutRowsIsItsTitleAndRule) {
  EXPECT_EQ("a  b\n-  -\n", Table({{"a"}, {"b"}}).text());
}

TEST(TableDeathTest, RefusesARowOfAnotherLength) {
  Table table({{"a"}, {"b"}});
  EXPECT_DEATH(table.add({"1"}), "internal error: expected row.size\\(\\) == columns_.size\\(\\)");
}

}  // namespace
}  // namespace lockstep
