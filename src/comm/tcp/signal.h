#pragma once

#include <asio/awaitable.hpp>
#include <asio/redirect_error.hpp>
#include <asio/steady_timer.hpp>
#include <asio/use_awaitable.hpp>

namespace lockstep::comm::tcp {

// Lets a coroutine sleep until somebody on its thread notifies it; it then looks again at what it
// waits for.
class Signal {
 public:
  explicit Signal(asio::io_context& io) : timer_(io, asio::steady_timer::time_point::max()) {}

  asio::awaitable<void> wait() {
    asio::error_code notified;
    co_await timer_.async_wait(asio::redirect_error(asio::use_awaitable, notified));
  }
  void notify() { timer_.cancel(); }

 private:
  asio::steady_timer timer_;
};

}  // namespace lockstep::comm::tcp
