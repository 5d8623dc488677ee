#include "spec/piecewise.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/error.h"

namespace lockstep::spec {
namespace {

TEST(PiecewiseSchedule, ReadsRatesAndEpochsInTurn) {
  const auto pieces = parse_piecewise("0.1; 30;0.01;60.5;1e-3");
  ASSERT_EQ(pieces.size(), 3);
  EXPECT_EQ(pieces[0].from_epoch, 0);
  EXPECT_EQ(pieces[0].rate, 0.1);
  EXPECT_EQ(pieces[1].from_epoch, 30);
  EXPECT_EQ(pieces[1].rate, 0.01);
  EXPECT_EQ(pieces[2].from_epoch, 60.5);
  EXPECT_EQ(pieces[2].rate, 0.001);
  EXPECT_EQ(parse_piecewise("0.1").size(), 1);
}

void expect_refusal(std::string_view text, const std::string& reason) {
  try {
    parse_piecewise(text);
    ADD_FAILURE() << text << " was accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    EXPECT_THAT(error.what(), testing::HasSubstr(reason));
  }
}

TEST(PiecewiseSchedule, SaysWhatIsWrongWithIt) {
  expect_refusal("0.1;30", "ends in an epoch without a rate");
  expect_refusal("0.1;x;0.01", "has 'x' where a number of at least 0 belongs");
  expect_refusal("0.1;30;", "has '' where a number of at least 0 belongs");
  expect_refusal("-0.1", "has '-0.1' where a number of at least 0 belongs");
  expect_refusal("0.1;inf;0.2", "has 'inf' where a number of at least 0 belongs");
  expect_refusal(";", "ends in an epoch");
  expect_refusal("nan", "has 'nan' where a number of at least 0 belongs");
  expect_refusal("0.1;60;0.01;30;0.001", "has epoch 30 behind epoch 60");
  expect_refusal("0.1;30;0.01;30;0.001", "has epoch 30 behind epoch 30");
  expect_refusal("0.1;0;0.01", "has epoch 0 behind epoch 0");
}

}  // namespace
}  // namespace lockstep::spec
