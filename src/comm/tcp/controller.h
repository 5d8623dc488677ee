#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "comm/tcp.h"

namespace lockstep::comm::tcp {

// A controller is no rank: it prints what rank 0 prints, and ends as rank 0 does. Rank 0 dials it,
// with the handshake of ranks, and sends every line, heartbeats, and at last how it ended.
struct ControllerOptions {
  std::string address;  // "host:port" where the controller listens
  std::string token;
  double start_timeout = 300;  // for rank 0 to come
  double deadline = 60;        // rank 0 is lost when it is silent for this many seconds
};

// The controller's side, which returns rank 0's exit code. Throws what rank 0 has failed by,
// Error(launch) when it does not come in time, and Error(rank_failed) when it is lost. `on_refusal`
// hears whom it turned away.
ExitCode follow_rank0(const ControllerOptions& options, Listener listener,
                      const std::function<void(std::string_view lines)>& print,
                      const std::function<void(const std::string& sentence)>& on_refusal);

// Rank 0's side, from any thread: another one dials and sends, so that only the functions that say
// so wait for the controller, and none does so without limit.
class ControllerLink {
 public:
  ControllerLink(const ControllerOptions& options, int world);
  ~ControllerLink();
  ControllerLink(const ControllerLink&) = delete;
  ControllerLink& operator=(const ControllerLink&) = delete;

  // Waits until it is connected, for this many seconds at most. Returns why it then gave up.
  std::optional<std::string> wait(double seconds);
  // Lines are kept until they are taken, but not without limit.
  void print(std::string_view lines);
  // The last word, with the error unless there was none; only the first one counts. Waits two
  // seconds at most. False: there was a connection, and it broke or is stuck.
  bool end(ExitCode code, const Error* error = nullptr);

 private:
  class Thread;
  std::unique_ptr<Thread> thread_;
};

}  // namespace lockstep::comm::tcp
