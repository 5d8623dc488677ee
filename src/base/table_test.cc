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

TEST(Table, FoldsItsLastColumn) {
  Table table({{"name", Table::Align::left}, {"what it does", Table::Align::left}});
  table.add({"ring", "sends to the next rank and takes from the one before"});
  table.add({"none", ""});
  const std::string wide = table.text();
  table.fold(200);
  EXPECT_EQ(table.text(), wide);
  table.fold(36);
  EXPECT_EQ(
      "name  what it does\n"
      "----  --------------------------\n"
      "ring  sends to the next rank and\n"
      "      takes from the one before\n"
      "none\n",
      table.text());
}

TEST(Table, TakesOutWhatIsMostDispensableUntilItFits) {
  const auto fitted = [](std::size_t width, std::vector<std::string> expected) {
    Table table(
        {{"a", Table::Align::left}, {"b", Table::Align::right, 1}, {"c", Table::Align::right, 2}});
    table.add({"one", "22", "333"});
    EXPECT_EQ(table.fit(width), expected) << width;
    return table.text();
  };
  EXPECT_EQ(fitted(12, {}), "a     b    c\n---  --  ---\none  22  333\n");
  EXPECT_EQ(fitted(11, {"c"}), "a     b\n---  --\none  22\n");
  EXPECT_EQ(fitted(6, {"c", "b"}), "a\n---\none\n");
  EXPECT_EQ(fitted(1, {"c", "b"}), "a\n---\none\n");
}

TEST(Table, CountsCharactersNotBytes) {
  Table table({{"n", Table::Align::left}, {"m"}});
  table.add({"\xc3\xa9t\xc3\xa9", "1"});
  EXPECT_EQ(table.text(), "n    m\n---  -\n\xc3\xa9t\xc3\xa9  1\n");
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
