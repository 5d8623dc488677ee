#include "doctor/clock_offset.h"

#include <gmock/gmock.h>

#include <cmath>

namespace lockstep::doctor {
namespace {

using machine::Level;
using testing::HasSubstr;

TEST(ClockOffset, IsMeasuredFromTheMiddleOfTheQuickestExchange) {
  // Theirs is 5 s ahead; the first answer had to wait for the connection.
  const std::vector<ClockReading> readings = {
      {100, 105.4, 100.5}, {101, 106.003, 101.004}, {102, 107.010, 102.012}};
  const auto offset = clock_offset(readings);
  ASSERT_TRUE(offset);
  EXPECT_NEAR(offset->seconds, 5.001, 1e-9);
  EXPECT_NEAR(offset->uncertainty, 0.002, 1e-9);
  EXPECT_LE(std::abs(offset->seconds - 5), offset->uncertainty);
}

TEST(ClockOffset, IsUnknownWithoutAnAnswer) {
  EXPECT_FALSE(clock_offset({}));
  EXPECT_EQ(judge_clock_offset(std::nullopt).level, Level::warning);
}

TEST(JudgeClockOffset, WarnsOnlyOfWhatCannotBeUncertainty) {
  EXPECT_EQ(judge_clock_offset(ClockOffset{0.3, 0.5}).level, Level::ok);
  EXPECT_EQ(judge_clock_offset(ClockOffset{0.005, 0.001}).level, Level::ok);
  EXPECT_EQ(judge_clock_offset(ClockOffset{0.3, 0.001}).level, Level::warning);
  const machine::Finding behind = judge_clock_offset(ClockOffset{-2, 0.001});
  EXPECT_EQ(behind.level, Level::warning);
  EXPECT_EQ(behind.value, -2000);
  EXPECT_THAT(behind.sentence, HasSubstr("+/- 1.0 ms"));
}

TEST(ClockAnswer, IsToldFromWhateverElseAShellSays) {
  EXPECT_EQ(clock_answer(3, "3 1700000000.25"), 1700000000.25);
  EXPECT_FALSE(clock_answer(3, "2 1700000000.25"));
  EXPECT_FALSE(clock_answer(3, "3 1700000000.%N"));
  EXPECT_FALSE(clock_answer(3, "welcome to node1"));
}

TEST(ReadClock, OfThisMachineIsOurs) {
  const spec::Host here{.name = "here", .address = "localhost", .here = true};
  const auto readings = read_clock(here, {});
  EXPECT_EQ(readings.size(), 10U);
  const auto offset = clock_offset(readings);
  ASSERT_TRUE(offset);
  EXPECT_LE(std::abs(offset->seconds), offset->uncertainty);
}

}  // namespace
}  // namespace lockstep::doctor
