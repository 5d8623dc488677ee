#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>

#include "base/error.h"

namespace lockstep::cli {

// Ranks look for a signal between two steps. Until the first step is done that may take long:
// networks are compiled, schedules made, and many devices take turns on few cores. A signal that
// nobody has obeyed within some seconds then ends the process: first `give_up` is called with the
// error, on a thread of the guard's.
class StartGuard {
 public:
  explicit StartGuard(std::function<void(const Error& error)> give_up,
                      std::chrono::milliseconds grace = std::chrono::seconds(3));

  void first_step_done() { over_ = true; }

 private:
  void watch(const std::stop_token& stop) const;

  const std::function<void(const Error& error)> give_up_;
  const std::chrono::milliseconds grace_;
  std::atomic<bool> over_ = false;
  std::jthread thread_;
};

}  // namespace lockstep::cli
