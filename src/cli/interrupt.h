#pragma once

#include <atomic>

#include "base/error.h"

namespace lockstep::cli {

// Signals that ask for an orderly end.
class Interrupt {
 public:
  // From now on, ^C and SIGTERM set the flag. A second ^C ends the process as it would have without
  // us; a second SIGTERM does nothing: launchers repeat it, and would cut short what a rank still
  // has to say of the one that was lost.
  static void listen();

  static void ask(int signal);  // as if it had come

  static const std::atomic<bool>& asked();
  static int signal();  // which one asked
  static ExitCode exit_code();
};

}  // namespace lockstep::cli
