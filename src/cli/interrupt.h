#pragma once

#include <atomic>

namespace lockstep::cli {

// While one of these lives, ^C and SIGTERM ask for an orderly end: the first sets the flag, the
// second one ends the process as it would have without us.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  static const std::atomic<bool>& asked();
  static int signal();  // which one asked
};

}  // namespace lockstep::cli
