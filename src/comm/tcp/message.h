#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::comm::tcp {

// What ranks send to each other, and how it is read: pure functions that take any bytes. Whatever
// is not a message of ours, in every respect, is nullopt.

struct Frame {
  enum class Kind : std::uint32_t {
    greeting,   // a nonce: the first frame of whoever dials
    challenge,  // a nonce, and a proof of the key
    hello,      // a proof of the key, and who dials
    welcome,    // the hello was right
    refusal,    // why it may not take part
    waiting,    // which ranks have not arrived yet
    table,      // all Members
    beat,       // alive, at this step
    part,       // of an agreement, to rank 0
    whole,      // what rank 0 makes of all parts
    failure,    // the first cause: message, hint
    wish,       // that the run ends in order
    suspicion,  // the connection for data to a rank broke: rank, reason
    goodbye,    // the last frame: this end is no loss
    output,     // to a controller: what rank 0 prints
    end,        // to a controller: how rank 0 ended, an End
  };
  Kind kind = Kind::greeting;
  std::string body;
};

// Stands before the body.
struct FrameHeader {
  Frame::Kind kind = Frame::Kind::greeting;
  std::uint32_t bytes = 0;  // of the body: at most largest_body(kind)
};
inline constexpr std::size_t kHeaderBytes = 12;
std::optional<FrameHeader> parse_header(std::span<const char, kHeaderBytes> bytes);
std::size_t largest_body(Frame::Kind kind);

std::string to_bytes(const Frame& frame);

// Packs texts into one text, and unpacks `count` of them; nullopt where it holds another number.
std::string pack(std::span<const std::string> texts);
std::optional<std::vector<std::string>> unpack(std::string_view packed, std::size_t count);

// Text of a peer's, fit to be printed: one line of limited length, without control characters.
std::string peer_text(std::string_view text);

// Likewise, of several lines: those of a table, each as long as it is.
std::string peer_lines(std::string_view text);

// What a rank says of itself when it arrives.
struct Member {
  int rank = 0;
  int world = 1;
  std::string host_key;
  std::string host_name;
  std::int64_t process = 0;
  std::string data_address;  // without a host: where the dialling rank reached rank 0
  std::int64_t secret = 0;   // who connects for data must know it

  std::string who() const;  // "rank 3 on node2"
  bool operator==(const Member&) const = default;
};
std::string to_text(const Member& member);
std::optional<Member> parse_member(std::string_view text);

struct Table {
  std::vector<Member> members;  // by rank
};
std::string to_text(const Table& table);
std::optional<Table> parse_table(std::string_view text, int world);

struct Cause {
  std::string message;
  std::string hint;
};
std::string to_text(const Cause& cause);
std::optional<Cause> parse_cause(std::string_view text);

struct End {
  int exit_code = 0;
  Cause cause = {};  // without a message where there is none
};
std::string to_text(const End& end);
std::optional<End> parse_end(std::string_view text);

struct Suspicion {
  int peer = 0;
  std::string reason;
};
std::string to_text(const Suspicion& suspicion);
std::optional<Suspicion> parse_suspicion(std::string_view text, int world);

}  // namespace lockstep::comm::tcp
