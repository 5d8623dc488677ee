#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/error.h"
#include "comm/tcp/frame.h"
#include "comm/tcp/rendezvous.h"
#include "comm/tcp/signal.h"
#include "comm/transport.h"

namespace lockstep::comm::tcp {

// The links to and from rank 0 after all have met, and the thread that serves them whatever the
// training threads do: small texts, heartbeats, and what ends a run.
class Control {
 public:
  // The links were made for `io`.
  Control(int rank, Table table, std::unique_ptr<asio::io_context> io, std::vector<Socket> links,
          double deadline);
  // Says goodbye, so that nobody takes the end for a loss. Takes two seconds at most.
  ~Control();
  Control(const Control&) = delete;
  Control& operator=(const Control&) = delete;

  const Table& table() const { return table_; }
  std::string agree(const std::string& mine, const Transport::Decide& decide);
  void fail(const Error& error);
  void check() const;
  // As check(), but waits a moment for a cause: what this rank has run into may come from that.
  void check_patiently() const;
  void wish_end();
  bool end_wished() const { return end_wished_; }
  // Told at once unless another step was told less than telling_interval() ago: whoever takes
  // longer for a step tells every one, others are ahead of what they told. From one thread.
  void at_step(std::int64_t step);
  static double telling_interval(int world);  // in seconds

  // A connection to the peer broke, as this rank sees it. If nothing else explains it soon, the
  // peer is lost. From any thread.
  void suspect(int peer, const std::string& reason);

 private:
  int world() const { return static_cast<int>(table_.members.size()); }
  const Member& member(int rank) const { return table_.members[static_cast<std::size_t>(rank)]; }

  struct Link {
    Link(asio::io_context& io, int of, Socket connected)
        : peer(of), socket(std::move(connected)), outbox_changed(io) {}

    int peer;
    Socket socket;
    std::deque<std::shared_ptr<const std::string>> outbox;
    Signal outbox_changed;
    std::int64_t step = -1;  // where the peer said to be
    int silent_beats = 0;    // heartbeats of ours since the peer's last frame
    bool closing = false;    // our goodbye is on its way
    bool parted = false;     // the peer's goodbye has come
    int coroutines = 2;      // that still work for the link
  };

  // On the control thread.
  asio::awaitable<void> read(Link& link);
  asio::awaitable<void> write(Link& link);
  asio::awaitable<void> beat();
  asio::awaitable<void> accuse(int peer, std::string reason, double patience);
  // False: it is not what this peer may say now.
  bool understand(Link& link, const Frame& frame);
  bool take_part(Link& link, const std::string& part);
  bool take_whole(Link& link, const std::string& body);
  void send(Link& link, std::shared_ptr<const std::string> bytes);
  void send_to_all(const Frame& frame);
  void tell_step() { send_to_all({Frame::Kind::beat, std::to_string(own_step_)}); }
  void contribute(int rank, std::string part);
  void answer(const std::string& agreed);
  void complete(std::vector<std::string> gathered);
  void miss_the_departed();
  void lose(int peer, const std::string& how);
  bool silent(const Link& link) const { return link.silent_beats * interval_ > deadline_; }
  void close(Link& link);
  void finish(Link& link);

  // On any thread. The first cause is kept, and told to everybody.
  void declare(const Error& cause);

  const int rank_;
  const Table table_;
  const double deadline_;
  const double interval_;  // between heartbeats
  const double telling_interval_;
  std::atomic<std::int64_t> own_step_ = -1;
  double told_at_ = -std::numeric_limits<double>::infinity();  // at_step's own

  std::unique_ptr<asio::io_context> io_;
  std::deque<Link> links_;
  asio::steady_timer beat_timer_;
  // Of the agreement under way: rank 0 gets all parts, everybody else has its own alone.
  std::vector<std::optional<std::string>> parts_;
  int contributed_ = 0;
  int parted_ = 0;  // peers that have said goodbye
  bool leaving_ = false;

  mutable std::mutex mutex_;  // for what follows
  mutable std::condition_variable changed_;
  std::optional<Error> failure_;
  std::optional<std::vector<std::string>> gathered_;  // all parts; on others, what was agreed
  std::size_t open_links_ = 0;
  std::atomic<bool> failed_ = false;
  std::atomic<bool> end_wished_ = false;

  std::thread thread_;
};

}  // namespace lockstep::comm::tcp
