#pragma once

#include <asio/awaitable.hpp>
#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <chrono>
#include <exception>
#include <string>

#include "comm/tcp.h"

namespace lockstep::comm::tcp {

using Socket = asio::ip::tcp::socket;
using Acceptor = asio::ip::tcp::acceptor;

// One attempt, of a few seconds at most; throws std::system_error.
asio::awaitable<Socket> dial(const std::string& address);
inline constexpr std::chrono::milliseconds kBetweenAttempts{100};

// To be called for an accepted connection: nothing is held back, and no child inherits it.
void prepare(Socket& socket);

Acceptor open_listener(asio::io_context& io, Listener listener);

// The socket among the work of another io_context. Nothing may be under way on it.
Socket move_to(asio::io_context& io, Socket& socket);

// The kernel breaks the connection when the peer's kernel answers nothing for so long, whether or
// not something is sent; on its own it would try for a quarter of an hour, or not notice at all.
void give_up_after(Socket& socket, double seconds);

// The peer's host without its port. Throws std::system_error when it is gone.
std::string remote_host(const Socket& socket);

// The address of this host that connections to another one come from; empty: not known.
std::string source_towards(const std::string& address);

// For co_spawn: an exception that a coroutine does not expect is our own bug and ends the thread
// that runs it.
inline void rethrow(std::exception_ptr failure) {
  if (failure) std::rethrow_exception(failure);
}

}  // namespace lockstep::comm::tcp
