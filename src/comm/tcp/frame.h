#pragma once

#include <asio/awaitable.hpp>

#include "comm/tcp/message.h"
#include "comm/tcp/socket.h"

namespace lockstep::comm::tcp {

// The next frame. Its memory grows with what arrives, whatever length it claims to have. Throws
// std::system_error when the connection ends, and bad_message when it is not a frame of ours.
asio::awaitable<Frame> read_frame(Socket& socket);

// Likewise; any other kind is a bad_message, too.
asio::awaitable<std::string> read_frame(Socket& socket, Frame::Kind expected);

// Of a frame with a name: g++ 12 destroys twice what is made within the expression that waits.
asio::awaitable<void> write_frame(Socket& socket, const Frame& frame);

[[noreturn]] void not_ours();  // throws bad_message
bool is_not_ours(const std::system_error& error);

}  // namespace lockstep::comm::tcp
