#include "comm/tcp/survive_for_test.h"

#include <string_view>

#include "base/characters.h"
#include "base/check.h"
#include "comm/tcp/message.h"

namespace lockstep::comm::tcp {
namespace {

void check_printable(const std::string& text) {
  LOCKSTEP_CHECK(printable(text, text.size()) == text);
}

void check_member(const Member& member) {
  check_printable(member.who());
  check_printable(member.data_address);
  LOCKSTEP_CHECK(member.rank >= 0 && member.world >= 1 && member.process >= 0);
  LOCKSTEP_CHECK(parse_member(to_text(member)) == member);
}

void survive_body(std::string_view body) {
  constexpr int kWorld = 3;
  if (const auto member = parse_member(body)) check_member(*member);
  if (const auto table = parse_table(body, kWorld)) {
    LOCKSTEP_CHECK(table->members.size() == kWorld);
    for (const Member& member : table->members) check_member(member);
  }
  if (const auto cause = parse_cause(body)) {
    check_printable(cause->message);
    check_printable(cause->hint);
    LOCKSTEP_CHECK(to_bytes({Frame::Kind::failure, to_text(*cause)}).size() > kHeaderBytes);
  }
  if (const auto end = parse_end(body)) {
    LOCKSTEP_CHECK(end->exit_code >= 0 && end->exit_code <= 255);
    LOCKSTEP_CHECK(to_bytes({Frame::Kind::end, to_text(*end)}).size() > kHeaderBytes);
  }
  if (const auto suspicion = parse_suspicion(body, kWorld)) {
    check_printable(suspicion->reason);
    LOCKSTEP_CHECK(suspicion->peer >= 0 && suspicion->peer < kWorld);
    LOCKSTEP_CHECK(to_bytes({Frame::Kind::suspicion, to_text(*suspicion)}).size() > kHeaderBytes);
  }
  check_printable(peer_text(body));
  for (const char c : peer_lines(body)) LOCKSTEP_CHECK(c < 0 || c >= ' ' || c == '\n' || c == '\t');
  for (const std::size_t count : {0, 1, 3}) {
    const auto texts = unpack(body, count);
    LOCKSTEP_CHECK(!texts || pack(*texts) == body);
  }
}

}  // namespace

void survive_frames(std::span<const std::uint8_t> bytes) {
  std::string_view rest(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  survive_body(rest);
  while (rest.size() >= kHeaderBytes) {
    const auto header =
        parse_header(std::span<const char, kHeaderBytes>(rest.data(), kHeaderBytes));
    if (!header) return;
    LOCKSTEP_CHECK(header->bytes <= largest_body(header->kind));
    rest.remove_prefix(kHeaderBytes);
    if (header->bytes > rest.size()) return;
    survive_body(rest.substr(0, header->bytes));
    rest.remove_prefix(header->bytes);
  }
}

}  // namespace lockstep::comm::tcp
