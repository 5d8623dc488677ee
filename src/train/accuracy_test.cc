#include "train/accuracy.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace lockstep::train {
namespace {

TEST(Hits, CountsLabelsAmongTheLargestOutputs) {
  const std::vector<float> logits = {
      9, 1, 2, 3, 4, 5, 6,  // label 0: the largest
      9, 1, 2, 3, 4, 5, 6,  // label 3: fifth
      9, 1, 2, 3, 4, 5, 6,  // label 2: sixth
      9, 1, 2, 3, 4, 5, 6,  // label 6: second
  };
  const Hits all = hits(logits, std::vector<int>{0, 3, 2, 6});
  EXPECT_EQ(all.top_1, 1);
  EXPECT_EQ(all.top_5, 3);
}

TEST(Hits, CountsATieForTheLabel) {
  EXPECT_EQ(hits(std::vector<float>{1, 1, 1}, std::vector<int>{2}).top_1, 1);
}

TEST(Hits, NeverCountsOutputsThatAreNotFinite) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(hits(std::vector<float>{nan, nan}, std::vector<int>{0}).top_5, 0);
  EXPECT_EQ(hits(std::vector<float>{infinity, 0}, std::vector<int>{0}).top_1, 0);
  EXPECT_EQ(hits(std::vector<float>{1, nan}, std::vector<int>{0}).top_1, 0);
}

}  // namespace
}  // namespace lockstep::train
