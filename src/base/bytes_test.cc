#include "base/bytes.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace lockstep {
namespace {

TEST(Bytes, ComeBackAsTheSameValues) {
  const std::string bytes =
      bytes_of(0.1, std::int64_t{-7}, true, std::numeric_limits<float>::denorm_min()) + "rest";
  BytesReader reader(bytes);
  double tenth = 0;
  std::int64_t seven = 0;
  reader.take(tenth, seven);
  EXPECT_EQ(tenth, 0.1);
  EXPECT_EQ(seven, -7);
  EXPECT_TRUE(reader.take<bool>());
  EXPECT_EQ(reader.take<float>(), std::numeric_limits<float>::denorm_min());
  EXPECT_EQ(reader.rest(), "rest");
}

TEST(Bytes, ThatEndTooEarlyAreRefused) {
  const std::string bytes = bytes_of(1.0);
  BytesReader reader(std::string_view(bytes).substr(1));
  EXPECT_THROW(reader.take<double>(), std::length_error);
  EXPECT_EQ(reader.rest().size(), sizeof(double) - 1);
}

}  // namespace
}  // namespace lockstep
