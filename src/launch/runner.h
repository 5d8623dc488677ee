#pragma once

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "launch/command.h"

namespace lockstep::launch {

struct RunOptions {
  double time_limit = 0;                    // seconds for all of it; 0: none
  std::filesystem::path log_dir = {};       // made if need be; empty: no logs
  const std::atomic<bool>* stop = nullptr;  // ends everything once it is true
  bool live = false;     // every line to standard error as well, behind "[name] "
  double grace = 5;      // seconds for the others once one has failed: they notice, and say why
  double patience = 10;  // seconds from the polite end to the certain one
  std::size_t tail_bytes = 4096;  // of what a process said last are kept
  // Hears every line that a process says, without its end; `name` is the command's.
  std::function<void(const std::string& name, std::string_view line)> on_line = {};
};

// A process that has ended.
struct Ended {
  std::string name;
  std::string host;
  int exit_code = 0;   // as a shell has it: 128 + signal
  double seconds = 0;  // since it was started
  bool asked = false;  // to end, by us
  std::string tail;    // the last of what it said, whole lines
};

struct Outcome {
  std::vector<Ended> processes;  // in the order in which they ended
  bool timed_out = false;
  bool stopped = false;

  // Whose failure the others' may follow from: the first by itself, rather than because ranks
  // elsewhere failed, which lockstep tells by its exit code. Null: none failed.
  const Ended* first_failure() const;
  bool ok() const { return !timed_out && !stopped && first_failure() == nullptr; }
};

// Runs the commands side by side, with one new token for all that take one, and returns when all
// have ended: by themselves, or by a polite signal (or the end of their input) and then a certain
// one. Each has a process group of its own, and what is left in it when its first process ends is
// ended, too. All end with this process, however that happens. Throws Error(launch), with nothing
// started, for a program that is not there.
Outcome run(std::span<const Command> commands, const RunOptions& options);

}  // namespace lockstep::launch
