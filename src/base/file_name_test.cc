#include "base/file_name.h"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

TEST(FileName, KeepsLettersDigitsDotsAndDashes) {
  EXPECT_EQ(file_name("resnet50_v1.5-NHWC"), "resnet50_v1.5-NHWC");
  EXPECT_EQ(distinct_file_name("resnet50_v1.5-NHWC"), "resnet50_v1.5-NHWC");
}

TEST(FileName, HasNoSlashNoBlankAndNothingBeyondAscii) {
  EXPECT_EQ(file_name("a/b c\xc3\xa4"), "a_b_c__");
  EXPECT_EQ(distinct_file_name("a/b c\xc3\xa4%"), "a%2fb%20c%c3%a4%25");
}

}  // namespace
}  // namespace lockstep
