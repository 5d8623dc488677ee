#pragma once

#include <asio/awaitable.hpp>
#include <chrono>
#include <functional>
#include <list>
#include <string>
#include <system_error>

#include "comm/tcp/socket.h"

namespace lockstep::comm::tcp {

// The two ends of a new connection prove to each other that they have the same key, which neither
// of them sends: each makes up a nonce, and answers with HMAC-SHA256 over both. What was recorded
// of one connection is worth nothing on another.
//
//     dials                                    accepts
//     greeting   nonce                  ->
//                                       <-     challenge   nonce, proof
//     hello      proof, text            ->
//                                       <-     welcome
//
// A handshake that takes longer than this ends its connection.
inline constexpr std::chrono::seconds kHandshakeTime{5};

// The dialling end: returns when both have proved the key. Throws std::system_error, of which
// has_another_key() is true where the other end has another one.
asio::awaitable<void> introduce(Socket& socket, std::string key, std::string hello);
bool has_another_key(const std::system_error& error);
// What dialling or introduce() failed by: "it has another token", "Connection refused".
std::string dialling_trouble(const std::system_error& error);

// The accepting end, at one address: hands on who proves the key, with the hello. Everybody else
// is dropped, and so is the oldest connection of more than kUnproved that have not proved it yet.
// Works as part of `io`, which outlives it, and does not run any more when this ends.
class Gate {
 public:
  static constexpr std::size_t kUnproved = 256;
  using Welcome = std::function<asio::awaitable<void>(Socket socket, std::string hello)>;
  // Hears of a connection that had another key, or spoke another protocol: where it came from.
  using Dropped = std::function<void(const std::string& host, bool another_key)>;

  // "a connection from 10.0.0.7 with another token"
  static std::string describe_dropped(const std::string& host, bool another_key);

  // A connection whose `welcome` throws std::system_error ends.
  Gate(asio::io_context& io, Listener listener, std::string key, Welcome welcome, Dropped dropped);
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

 private:
  asio::awaitable<void> receive();
  asio::awaitable<void> examine(std::list<Socket>::iterator visitor);
  void drop_the_oldest();

  asio::io_context& io_;
  Acceptor acceptor_;
  const std::string key_;
  const Welcome welcome_;
  const Dropped dropped_;
  std::list<Socket> unproved_;  // in the order of their arrival
};

}  // namespace lockstep::comm::tcp
