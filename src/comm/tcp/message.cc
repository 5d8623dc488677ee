#include "comm/tcp/message.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>

#include "base/characters.h"
#include "base/check.h"
#include "base/error.h"
#include "base/text.h"
#include "comm/tcp/address.h"

namespace lockstep::comm::tcp {
namespace {

static_assert(std::endian::native == std::endian::little, "headers travel as they are in memory");

// Also the version of all that follows: ranks of different builds refuse each other.
constexpr std::uint32_t kMagic = 0x32'50'53'4c;  // "LSP2"

constexpr std::size_t kNonceAndProof = 64;
constexpr std::size_t kMemberBytes = std::size_t{8} << 10;
constexpr std::size_t kSentences = std::size_t{32} << 10;  // two of kLongestText, and a number
constexpr std::size_t kPart = std::size_t{1} << 30;
constexpr std::size_t kLargest = 0xffff'ffff;

constexpr std::size_t kLongestText = 2000;  // characters
constexpr std::size_t kLongestName = 255;

std::optional<int> parse_within(std::string_view text, int first, int last) {
  const auto number = parse_int(text);
  if (!number || *number < first || *number > last) return std::nullopt;
  return static_cast<int>(*number);
}

bool is_data_address(const std::string& text) {
  try {
    return text == peer_text(text) && parse_address(text).host.size() <= kLongestName;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

std::size_t largest_body(Frame::Kind kind) {
  switch (kind) {
    case Frame::Kind::greeting:
    case Frame::Kind::challenge:
    case Frame::Kind::beat:
      return kNonceAndProof;
    case Frame::Kind::hello:
      return kMemberBytes;
    case Frame::Kind::refusal:
    case Frame::Kind::waiting:
    case Frame::Kind::failure:
    case Frame::Kind::suspicion:
    case Frame::Kind::end:
      return kSentences;
    case Frame::Kind::part:
    case Frame::Kind::output:
      return kPart;
    case Frame::Kind::table:
    case Frame::Kind::whole:
      return kLargest;
    case Frame::Kind::welcome:
    case Frame::Kind::wish:
    case Frame::Kind::goodbye:
      return 0;
  }
  return 0;
}

std::optional<FrameHeader> parse_header(std::span<const char, kHeaderBytes> bytes) {
  std::array<std::uint32_t, 3> words;
  static_assert(sizeof words == kHeaderBytes);
  std::memcpy(words.data(), bytes.data(), sizeof words);
  const auto [magic, kind, size] = words;
  if (magic != kMagic || kind > static_cast<std::uint32_t>(Frame::Kind::end)) {
    return std::nullopt;
  }
  const FrameHeader header = {static_cast<Frame::Kind>(kind), size};
  if (header.bytes > largest_body(header.kind)) return std::nullopt;
  return header;
}

std::string to_bytes(const Frame& frame) {
  LOCKSTEP_CHECK(frame.body.size() <= largest_body(frame.kind));
  const std::array<std::uint32_t, 3> header = {kMagic, static_cast<std::uint32_t>(frame.kind),
                                               static_cast<std::uint32_t>(frame.body.size())};
  return std::string(reinterpret_cast<const char*>(header.data()), kHeaderBytes) + frame.body;
}

std::string pack(std::span<const std::string> texts) {
  std::string packed;
  for (const std::string& text : texts) {
    const std::uint64_t size = text.size();
    packed.append(reinterpret_cast<const char*>(&size), sizeof size);
    packed += text;
  }
  return packed;
}

std::optional<std::vector<std::string>> unpack(std::string_view packed, std::size_t count) {
  std::vector<std::string> texts;
  while (!packed.empty()) {
    std::uint64_t size = 0;
    if (packed.size() < sizeof size || texts.size() == count) return std::nullopt;
    std::memcpy(&size, packed.data(), sizeof size);
    packed.remove_prefix(sizeof size);
    if (packed.size() < size) return std::nullopt;
    texts.emplace_back(packed.substr(0, size));
    packed.remove_prefix(size);
  }
  if (texts.size() != count) return std::nullopt;
  return texts;
}

std::string peer_text(std::string_view text) {
  std::string line(text);
  std::ranges::replace(line, '\n', ' ');
  return printable(line, kLongestText);
}

std::string peer_lines(std::string_view text) {
  std::vector<std::string> lines;
  for (const std::string& line : lockstep::split(text, '\n')) {
    std::vector<std::string> cells = lockstep::split(line, '\t');
    for (std::string& cell : cells) cell = printable(cell, cell.size());
    lines.push_back(join(cells, "\t"));
  }
  return join(lines, "\n");
}

std::string Member::who() const {
  return fmt::format("rank {} on {}", rank, host_name);
}

std::string to_text(const Member& member) {
  const std::vector<std::string> fields = {std::to_string(member.rank),
                                           std::to_string(member.world),
                                           member.host_key,
                                           member.host_name,
                                           std::to_string(member.process),
                                           member.data_address,
                                           std::to_string(member.secret)};
  return pack(fields);
}

std::optional<Member> parse_member(std::string_view text) {
  constexpr int kMost = std::numeric_limits<int>::max();
  const auto fields = unpack(text, 7);
  if (!fields) return std::nullopt;
  const auto rank = parse_within((*fields)[0], 0, kMost);
  const auto world = parse_within((*fields)[1], 1, kMost);
  const auto process = parse_within((*fields)[4], 0, kMost);
  const auto secret = parse_int((*fields)[6]);
  if (!rank || !world || !process || !secret) return std::nullopt;
  Member member = {.rank = *rank,
                   .world = *world,
                   .host_key = (*fields)[2],
                   .host_name = printable((*fields)[3], kLongestName),
                   .process = *process,
                   .data_address = (*fields)[5],
                   .secret = *secret};
  if (!is_data_address(member.data_address)) return std::nullopt;
  return member;
}

std::string to_text(const Table& table) {
  std::vector<std::string> members;
  for (const Member& member : table.members) members.push_back(to_text(member));
  return pack(members);
}

std::optional<Table> parse_table(std::string_view text, int world) {
  const auto rows = unpack(text, static_cast<std::size_t>(world));
  if (!rows) return std::nullopt;
  Table table;
  for (const std::string& row : *rows) {
    std::optional<Member> member = parse_member(row);
    if (!member || member->world != world) return std::nullopt;
    if (member->rank != static_cast<int>(table.members.size())) return std::nullopt;
    table.members.push_back(std::move(*member));
  }
  return table;
}

std::string to_text(const Cause& cause) {
  const std::vector<std::string> texts = {peer_text(cause.message), peer_text(cause.hint)};
  return pack(texts);
}

std::optional<Cause> parse_cause(std::string_view text) {
  const auto texts = unpack(text, 2);
  if (!texts) return std::nullopt;
  return Cause{peer_text((*texts)[0]), peer_text((*texts)[1])};
}

std::string to_text(const End& end) {
  const std::vector<std::string> texts = {std::to_string(end.exit_code), to_text(end.cause)};
  return pack(texts);
}

std::optional<End> parse_end(std::string_view text) {
  const auto texts = unpack(text, 2);
  if (!texts) return std::nullopt;
  const auto code = parse_within((*texts)[0], 0, 255);
  const auto cause = parse_cause((*texts)[1]);
  if (!code || !cause) return std::nullopt;
  return End{*code, *cause};
}

std::string to_text(const Suspicion& suspicion) {
  const std::vector<std::string> texts = {std::to_string(suspicion.peer),
                                          peer_text(suspicion.reason)};
  return pack(texts);
}

std::optional<Suspicion> parse_suspicion(std::string_view text, int world) {
  const auto texts = unpack(text, 2);
  if (!texts) return std::nullopt;
  const auto peer = parse_within((*texts)[0], 0, world - 1);
  if (!peer) return std::nullopt;
  return Suspicion{*peer, peer_text((*texts)[1])};
}

}  // namespace lockstep::comm::tcp
