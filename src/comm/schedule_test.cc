#include "comm/schedule.h"

#include <gtest/gtest.h>

namespace lockstep::comm {
namespace {

TEST(Split, GivesTheFirstPartsOneMoreWhereItDoesNotComeOutEven) {
  EXPECT_EQ(split({10, 21}, 3), (std::vector<Range>{{10, 14}, {14, 18}, {18, 21}}));
}

TEST(Split, KeepsBoundariesOnMultiplesOfTheGrainFromTheBegin) {
  EXPECT_EQ(split({3, 33}, 3, 8), (std::vector<Range>{{3, 19}, {19, 27}, {27, 33}}));
}

TEST(Split, LeavesTheLastPartsEmptyWhenThereIsTooLittle) {
  EXPECT_EQ(split({5, 7}, 4), (std::vector<Range>{{5, 6}, {6, 7}, {7, 7}, {7, 7}}));
  EXPECT_EQ(split({5, 7}, 2, 16), (std::vector<Range>{{5, 7}, {7, 7}}));
  EXPECT_EQ(split({5, 5}, 2), (std::vector<Range>{{5, 5}, {5, 5}}));
}

TEST(Range, OverlapsOnlyWhereItSharesAnElement) {
  EXPECT_TRUE((Range{0, 4}.overlaps({3, 5})));
  EXPECT_FALSE((Range{0, 4}.overlaps({4, 5})));
  EXPECT_FALSE((Range{4, 8}.overlaps({0, 4})));
}

}  // namespace
}  // namespace lockstep::comm
