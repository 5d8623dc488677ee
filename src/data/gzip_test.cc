#include "data/gzip.h"

#include <gmock/gmock.h>

namespace lockstep::data {
namespace {

using testing::HasSubstr;

constexpr std::uint64_t kMost = 1 << 20;

std::string text() {
  std::string out;
  for (int i = 0; i < 20'000; ++i) out += static_cast<char>(i * i >> 3);
  return out;
}

std::string content(std::string_view bytes) {
  return std::get<std::string>(gunzip(bytes_of(bytes), kMost));
}

Fault gzip_fault(std::string_view bytes, std::uint64_t most = kMost) {
  return std::get<Fault>(gunzip(bytes_of(bytes), most));
}

TEST(Gunzip, GivesBackWhatWasCompressed) {
  EXPECT_EQ(content(gzip("")), "");
  EXPECT_EQ(content(gzip(text())), text());
  EXPECT_EQ(content(gzip("one ") + gzip("two")), "one two");
  EXPECT_TRUE(is_gzip(bytes_of(gzip("x"))));
  EXPECT_FALSE(is_gzip(bytes_of("x")));
}

TEST(Gunzip, SeesEveryCut) {
  const std::string whole = gzip("some text");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_EQ(gzip_fault(whole.substr(0, size)).offset, size);
  }
}

TEST(Gunzip, SeesFlippedBitsByTheirChecksum) {
  std::string bytes = gzip(text());
  bytes[bytes.size() / 2] ^= 1;
  EXPECT_THAT(gzip_fault(bytes).what, HasSubstr("damaged gzip data"));
}

TEST(Gunzip, StopsAtAContentThatIsTooLarge) {
  EXPECT_THAT(gzip_fault(gzip(std::string(kMost, 'x')), 1000).what,
              HasSubstr("more than 1000 bytes"));
}

}  // namespace
}  // namespace lockstep::data
