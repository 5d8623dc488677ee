#include "data/crc32c.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/rng.h"

namespace lockstep::data {
namespace {

// From RFC 3720, appendix B.4, and the check value that every catalogue of CRCs gives.
TEST(Crc32c, HasTheKnownValues) {
  EXPECT_EQ(crc32c({}), 0U);
  EXPECT_EQ(crc32c(bytes_of("123456789")), 0xe3069283U);
  EXPECT_EQ(crc32c(std::vector<std::uint8_t>(32, 0x00)), 0x8a9136aaU);
  EXPECT_EQ(crc32c(std::vector<std::uint8_t>(32, 0xff)), 0x62a8ab43U);
}

TEST(Crc32c, IsTheSameByTableAndByInstruction) {
  const Rng rng(1);
  std::vector<std::uint8_t> bytes;
  for (std::uint64_t i = 0; i < 70; ++i) {
    EXPECT_EQ(crc32c(bytes), crc32c_by_table(bytes)) << i << " bytes";
    bytes.push_back(static_cast<std::uint8_t>(rng.bits(i)));
  }
}

TEST(Crc32c, IsMaskedAsInTfRecords) {
  EXPECT_EQ(masked_crc32c({}), 0xa282ead8U);
  const std::uint32_t crc = crc32c(bytes_of("foo"));
  EXPECT_EQ(masked_crc32c(bytes_of("foo")), ((crc >> 15) | (crc << 17)) + 0xa282ead8U);
}

}  // namespace
}  // namespace lockstep::data
