#pragma once

#include <string>

#include "cli/sweep_control.h"
#include "spec/sweep.h"

namespace lockstep::cli {

// Tells on stderr how far a sweep is: a line for each launch that has ended, and on a terminal one
// that says which is running.
class SweepLog {
 public:
  explicit SweepLog(const spec::Plan& plan);

  void begin(const spec::Sweep& sweep, const std::string& directory);
  void start(const SweepProgress& progress);
  void end(const SweepProgress& progress, const Launched& launched, bool again);
  // Takes the line of what is running off the terminal.
  void hide();

 private:
  std::string on_one_line(const std::string& text) const;

  const spec::Plan& plan_;
  std::size_t widest_ = 0;  // of the points' names
  bool terminal_ = false;
  bool shown_ = false;
};

}  // namespace lockstep::cli
