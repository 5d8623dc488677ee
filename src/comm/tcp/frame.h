#pragma once

#include <asio/awaitable.hpp>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "comm/tcp/socket.h"

namespace lockstep::comm::tcp {

// What ranks say to rank 0, and rank 0 to them.
struct Frame {
  enum class Kind : std::uint32_t {
    hello,      // a Member, to rank 0
    refusal,    // why it may not take part
    table,      // all Members
    beat,       // alive, at this step
    part,       // of an all_gather, to rank 0
    whole,      // of an all_gather, from rank 0
    failure,    // the first cause: message, hint
    wish,       // that the run ends in order
    suspicion,  // the connection for data to a rank broke: rank, reason
    goodbye,    // the last frame: this end is no loss
  };
  Kind kind = Kind::hello;
  std::string body;
};

std::string to_bytes(const Frame& frame);
// Throws std::system_error when the connection ends or when it is none of ours.
asio::awaitable<Frame> read_frame(Socket& socket);

// Texts in one text.
std::string pack(std::span<const std::string> texts);
std::vector<std::string> unpack(std::string_view packed);  // throws std::system_error

}  // namespace lockstep::comm::tcp
