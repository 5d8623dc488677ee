#include "data/idx.h"

#include <gmock/gmock.h>

namespace lockstep::data {
namespace {

using testing::ElementsAre;

std::string header_of(std::initializer_list<std::uint32_t> sizes) {
  return idx_header(std::vector<std::uint32_t>(sizes));
}

Fault idx_fault(std::string_view bytes) {
  return std::get<Fault>(parse_idx(bytes_of(bytes)));
}

TEST(Idx, HasSizesMostSignificantByteFirst) {
  const std::string bytes = header_of({60000, 28, 20});
  EXPECT_EQ(bytes.substr(0, 8), std::string("\0\0\x08\x03\0\0\xea\x60", 8));
  const auto parsed = std::get<IdxHeader>(parse_idx(bytes_of(bytes)));
  EXPECT_THAT(parsed.sizes, ElementsAre(60000, 28, 20));
  EXPECT_EQ(parsed.header_bytes, 16U);
  EXPECT_EQ(parsed.record_bytes, 560U);
  EXPECT_EQ(parsed.file_bytes(), 16U + 60000U * 560U);
}

TEST(Idx, CountsBytesWhereThereIsOneDimension) {
  const auto parsed = std::get<IdxHeader>(parse_idx(bytes_of(header_of({5}))));
  EXPECT_EQ(parsed.record_bytes, 1U);
  EXPECT_EQ(parsed.file_bytes(), 13U);
}

TEST(Idx, SaysWhereAHeaderIsWrong) {
  EXPECT_EQ(idx_fault(""), (Fault{0, "not an IDX file"}));
  EXPECT_EQ(idx_fault("JFIF...."), (Fault{0, "not an IDX file"}));
  EXPECT_EQ(idx_fault(header_of({5}).substr(0, 6)), (Fault{6, "the header is cut off"}));
  EXPECT_EQ(idx_fault(header_of({5, 0})), (Fault{8, "a dimension of size 0"}));
  EXPECT_EQ(idx_fault(header_of({5, 1U << 20, 1U << 20})), (Fault{12, "records are too large"}));
  std::string floats = header_of({5});
  floats[2] = 0x0d;
  EXPECT_EQ(idx_fault(floats).offset, 2U);
  std::string many = header_of({5});
  many[3] = 9;
  EXPECT_EQ(idx_fault(many).offset, 3U);
}

}  // namespace
}  // namespace lockstep::data
