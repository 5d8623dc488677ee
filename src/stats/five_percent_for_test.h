#pragma once

#include <gmock/gmock.h>

namespace lockstep::stats {

// For tests: so many pairs tell a share of 5 % from 4 % and from 6 %.
constexpr int kPairs = 2000;

inline testing::Matcher<double> at_the_five_percent_level() {
  return testing::AllOf(testing::Ge(0.04), testing::Le(0.06));
}

}  // namespace lockstep::stats
