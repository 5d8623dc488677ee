#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace lockstep {

// What the process says to whoever started it. docs/architecture.md explains each.
enum class ExitCode : int {
  ok = 0,
  gate_failed = 1,
  usage = 2,
  environment = 3,
  launch = 4,
  rank_failed = 5,
  unstable = 6,
  interrupted = 130,
  terminated = 143,
};

// The user or the world is wrong: a bad flag, a missing file, a dead peer. Thrown where it is
// noticed, caught in cli and in the worker only. The message says what is wrong, the hint what to
// do about it; neither ends in a newline.
class Error : public std::runtime_error {
 public:
  Error(ExitCode code, const std::string& message, std::string hint = {})
      : std::runtime_error(message), code_(code), hint_(std::move(hint)) {}

  ExitCode code() const { return code_; }
  const std::string& hint() const { return hint_; }

 private:
  ExitCode code_;
  std::string hint_;
};

}  // namespace lockstep
