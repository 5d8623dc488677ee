#pragma once

#include <poll.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/descriptor.h"
#include "launch/command.h"
#include "launch/runner.h"

namespace lockstep::launch {

// Where the program of a command lies. Throws Error(launch) when it cannot be executed.
std::string executable(const Command& command);

// A process that runs, first of a process group of its own, with its output on a pipe to us and its
// input on one from us, on which nothing comes but the token. When it is destroyed, nothing of it
// is left.
class Process {
 public:
  Process(const Command& command, const std::string& path, const std::string& token,
          const RunOptions& options);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  // What to wait for: output and the end.
  pollfd output() const { return {output_.get(), POLLIN, 0}; }
  pollfd end() const { return {end_.get(), POLLIN, 0}; }

  void read_output();  // as far as there is some
  bool told_failure() const { return told_failure_; }
  // Ended: takes the rest of its group with it. Nothing: it runs.
  std::optional<Ended> reap();

  void end_politely();
  void end_for_certain();

 private:
  void take(std::string_view text);
  void pass_on(std::string_view text);
  void look_for_failure(std::string_view text);
  void signal_group(int signal) const;

  std::string name_;
  std::string host_;
  bool ends_with_input_;
  std::string failure_;
  bool live_;
  std::function<void(const std::string&, std::string_view)> on_line_;
  std::size_t tail_bytes_;
  double started_;
  int id_ = -1;  // of process and group; -1: ended
  Descriptor input_;
  Descriptor output_;
  Descriptor end_;
  Descriptor log_;
  std::string tail_;
  std::string line_;   // passed on once it is complete
  std::string start_;  // of the line, as much as may tell of a failure
  bool told_failure_ = false;
};

}  // namespace lockstep::launch
