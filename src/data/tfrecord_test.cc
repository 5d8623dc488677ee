#include "data/tfrecord.h"

#include <gmock/gmock.h>

namespace lockstep::data {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

struct Scan {
  std::vector<std::pair<std::uint64_t, std::string>> records;
  std::vector<Fault> faults;
};

Scan scan(const std::string& file) {
  Scan scan;
  const auto read = [&](std::uint64_t offset, std::uint64_t length) {
    return bytes_of(file).subspan(offset, length);
  };
  scan.faults = scan_frames(file.size(), read, [&](std::uint64_t offset, Bytes payload) {
    scan.records.emplace_back(offset, text_of(payload));
  });
  return scan;
}

std::string file() {
  std::string out;
  for (const std::string_view payload : {"first", "", "third record"}) {
    append_frame(out, bytes_of(payload));
  }
  return out;
}

// Length 3, its masked checksum, "foo", its masked checksum; computed apart from this program.
TEST(TfRecord, FramesRecordsAsTensorFlowDoes) {
  std::string out;
  append_frame(out, bytes_of("foo"));
  EXPECT_EQ(
      out, std::string(
               "\003\000\000\000\000\000\000\000\260\231\111\016\146\157\157\141\212\276\376", 19));
}

TEST(TfRecord, GivesEveryRecordWithItsOffset) {
  const Scan found = scan(file());
  EXPECT_THAT(found.records,
              ElementsAre(Pair(12, "first"), Pair(33, ""), Pair(49, "third record")));
  EXPECT_THAT(found.faults, IsEmpty());
}

TEST(TfRecord, SkipsADamagedRecordAndGoesOn) {
  std::string damaged = file();
  damaged[13] ^= 1;
  const Scan found = scan(damaged);
  EXPECT_THAT(found.records, ElementsAre(Pair(33, ""), Pair(49, "third record")));
  EXPECT_THAT(found.faults, ElementsAre(Fault{12, "a record of 5 bytes is damaged"}));
}

TEST(TfRecord, EndsAtADamagedLength) {
  std::string damaged = file();
  damaged[21] ^= 1;
  const Scan found = scan(damaged);
  EXPECT_THAT(found.records, ElementsAre(Pair(12, "first")));
  EXPECT_THAT(found.faults,
              ElementsAre(Fault{21, "the length of a record is damaged: what follows is lost"}));
}

TEST(TfRecord, SeesEveryFlippedBit) {
  const std::string whole = file();
  for (std::size_t bit = 0; bit < 8 * whole.size(); ++bit) {
    std::string damaged = whole;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ 1 << bit % 8);
    EXPECT_EQ(scan(damaged).faults.size(), 1U) << "bit " << bit;
  }
}

TEST(TfRecord, SeesEveryCutButThoseBetweenRecords) {
  const std::string whole = file();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const bool between = size == 0 || size == 21 || size == 37;
    EXPECT_EQ(scan(whole.substr(0, size)).faults.size(), between ? 0U : 1U) << size;
  }
}

}  // namespace
}  // namespace lockstep::data
