#include "comm/tcp/message.h"

#include <gmock/gmock.h>

#include <random>

#include "comm/tcp/survive_for_test.h"

namespace lockstep::comm::tcp {
namespace {

using testing::HasSubstr;
using testing::Not;

using Texts = std::vector<std::string>;

const Member kMember = {.rank = 2,
                        .world = 3,
                        .host_key = "boot pid user net",
                        .host_name = "node2",
                        .process = 4711,
                        .data_address = "10.0.0.2:2232",
                        .secret = -77};

Table table_of_three() {
  Table table;
  for (int rank = 0; rank < 3; ++rank) {
    table.members.push_back(kMember);
    table.members.back().rank = rank;
  }
  return table;
}

TEST(Pack, KeepsTextsApartWhateverIsInThem) {
  const std::vector<Texts> lists = {
      {}, {""}, {"", ""}, {"one"}, {"with\0zero", "two\nlines", std::string(100'000, 'x')}};
  for (const auto& texts : lists) EXPECT_EQ(texts, unpack(pack(texts), texts.size()));
}

TEST(Pack, RefusesWhatIsCutOffAndAnotherNumberOfTexts) {
  const std::string packed = pack(Texts{"one", "two"});
  EXPECT_FALSE(unpack(std::string_view(packed).substr(0, packed.size() - 1), 2));
  EXPECT_FALSE(unpack(std::string_view(packed).substr(0, 4), 2));
  EXPECT_FALSE(unpack(packed, 1));
  EXPECT_FALSE(unpack(packed, 3));
  EXPECT_FALSE(unpack(std::string(8, '\xff'), 1));  // a length that wraps around
}

std::optional<FrameHeader> header_of(std::uint32_t magic, std::uint32_t kind, std::uint32_t size) {
  const std::array<std::uint32_t, 3> words = {magic, kind, size};
  return parse_header(std::span<const char, kHeaderBytes>(
      reinterpret_cast<const char*>(words.data()), kHeaderBytes));
}

TEST(FrameHeader, IsRefusedWithAnotherMagicKindOrLength) {
  std::uint32_t magic = 0;
  std::memcpy(&magic, to_bytes({Frame::Kind::goodbye, {}}).data(), sizeof magic);
  const auto goodbye = static_cast<std::uint32_t>(Frame::Kind::goodbye);
  EXPECT_TRUE(header_of(magic, goodbye, 0));
  EXPECT_FALSE(header_of(magic + 1, goodbye, 0));
  EXPECT_FALSE(header_of(magic, goodbye, 1));
  const auto last = static_cast<std::uint32_t>(Frame::Kind::end);
  EXPECT_TRUE(header_of(magic, last, 0));
  EXPECT_FALSE(header_of(magic, last + 1, 0));
  EXPECT_FALSE(header_of(magic, 0xffffffff, 0));
  // Nobody has proved anything before the hello: none of these is large.
  for (const auto kind : {Frame::Kind::greeting, Frame::Kind::challenge, Frame::Kind::hello}) {
    const auto number = static_cast<std::uint32_t>(kind);
    EXPECT_TRUE(header_of(magic, number, 32));
    EXPECT_FALSE(header_of(magic, number, 10'000));
    EXPECT_FALSE(header_of(magic, number, 0xffffffff));
  }
}

TEST(Member, IsReadBack) {
  EXPECT_EQ(kMember, parse_member(to_text(kMember)));
}

// The fields of a member with one of them replaced.
std::string with_field(std::size_t field, const std::string& value) {
  Texts fields = *unpack(to_text(kMember), 7);
  fields[field] = value;
  return pack(fields);
}

TEST(Member, IsRefusedWithAFieldThatIsNone) {
  for (const char* number : {"", "x", "-1", "99999999999", "1.5", " 1", "4294967297"}) {
    EXPECT_FALSE(parse_member(with_field(0, number))) << number;
    EXPECT_FALSE(parse_member(with_field(1, number))) << number;
    EXPECT_FALSE(parse_member(with_field(4, number))) << number;
  }
  EXPECT_FALSE(parse_member(with_field(1, "0")));
  EXPECT_FALSE(parse_member(with_field(6, "secret")));
  const std::string long_host(1000, 'a');
  for (const std::string address : {"", "x", "x:", "x:99999", "a\nb:1", "\x1b[31m:1"}) {
    EXPECT_FALSE(parse_member(with_field(5, address))) << address;
  }
  EXPECT_FALSE(parse_member(with_field(5, long_host + ":1")));
  EXPECT_FALSE(parse_member(pack(Texts{"1", "2"})));
  EXPECT_FALSE(parse_member(""));
}

TEST(Member, HasANameThatCanBePrinted) {
  const auto member = parse_member(with_field(3, "a\x1b[31m\n" + std::string(5000, 'b')));
  ASSERT_TRUE(member);
  EXPECT_THAT(member->who(), Not(HasSubstr("\x1b")));
  EXPECT_THAT(member->who(), Not(HasSubstr("\n")));
  EXPECT_LT(member->who().size(), 400U);
}

TEST(Table, HasEveryRankOfItsWorldInItsPlace) {
  const Table table = table_of_three();
  ASSERT_TRUE(parse_table(to_text(table), 3));
  EXPECT_EQ(table.members, parse_table(to_text(table), 3)->members);
  EXPECT_FALSE(parse_table(to_text(table), 2));
  EXPECT_FALSE(parse_table(to_text(table), 4));
  EXPECT_FALSE(parse_table("", 3));
  Table swapped = table;
  std::swap(swapped.members[0], swapped.members[1]);
  EXPECT_FALSE(parse_table(to_text(swapped), 3));
  Table other = table;
  other.members[1].world = 4;
  EXPECT_FALSE(parse_table(to_text(other), 3));
}

TEST(Cause, IsTwoTextsThatCanBePrinted) {
  EXPECT_FALSE(parse_cause(pack(Texts{"one"})));
  EXPECT_FALSE(parse_cause(pack(Texts{"one", "two", "three"})));
  const auto cause = parse_cause(pack(Texts{"two\nlines \x1b[2J \xff", std::string(1 << 20, 'x')}));
  ASSERT_TRUE(cause);
  EXPECT_THAT(cause->message, testing::StartsWith("two lines "));
  EXPECT_THAT(cause->message, Not(HasSubstr("\x1b")));
  EXPECT_LT(cause->hint.size(), 3000U);
  // However much there is of it, it fits a frame.
  to_bytes({Frame::Kind::failure,
            to_text(Cause{std::string(100'000, '\x01'), std::string(100'000, '\x01')})});
}

TEST(Suspicion, NamesARankOfTheWorld) {
  EXPECT_EQ(2, parse_suspicion(to_text(Suspicion{2, "why"}), 3)->peer);
  for (const char* peer : {"x", "-5", "3", "99999999", "99999999999999999999", ""}) {
    EXPECT_FALSE(parse_suspicion(pack(Texts{peer, "why"}), 3)) << peer;
  }
}

TEST(Frames, OfDamagedBytesDoNoHarm) {
  const std::string whole = to_bytes({Frame::Kind::hello, to_text(kMember)}) +
                            to_bytes({Frame::Kind::table, to_text(table_of_three())}) +
                            to_bytes({Frame::Kind::failure, to_text(Cause{"message", "hint"})}) +
                            to_bytes({Frame::Kind::suspicion, to_text(Suspicion{1, "reason"})}) +
                            to_bytes({Frame::Kind::beat, "12"}) +
                            to_bytes({Frame::Kind::goodbye, {}});
  const auto survive = [](const std::string& text) {
    survive_frames({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
  };
  for (std::size_t size = 0; size <= whole.size(); ++size) survive(whole.substr(0, size));
  std::minstd_rand random(7);
  for (int round = 0; round < 20'000; ++round) {
    std::string damaged = whole;
    for (int changes = 0; changes < 1 + round % 4; ++changes) {
      damaged[random() % damaged.size()] = static_cast<char>(random());
    }
    survive(damaged);
  }
}

}  // namespace
}  // namespace lockstep::comm::tcp
