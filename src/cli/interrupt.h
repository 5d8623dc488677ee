#pragma once

#include <atomic>

namespace lockstep::cli {

// Signals that ask for an orderly end.
class Interrupt {
 public:
  // From now on, ^C and SIGTERM set the flag. A second ^C ends the process as it would have without
  // us; a second SIGTERM does nothing: launchers repeat it, and would cut short what a rank still
  // has to say of the one that was lost.
  static void listen();

  static const std::atomic<bool>& asked();
  static int signal();  // which one asked
};

}  // namespace lockstep::cli
