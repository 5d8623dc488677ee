#include "comm/tcp/control.h"

#include <algorithm>
#include <asio/co_spawn.hpp>
#include <asio/post.hpp>
#include <asio/write.hpp>
#include <chrono>
#include <utility>

#include "base/clock.h"
#include "base/text.h"
#include "comm/lost.h"

namespace lockstep::comm::tcp {
namespace {

using std::chrono::duration;

constexpr double kFarewell = 2;  // seconds that an end may take
// Rank 0 hears of a process's end at once, but a broken connection for data may be heard of first.
constexpr double kPatience = 1;

constexpr const char* kHint = "the output of that rank may say more";

asio::steady_timer::duration ticks(double seconds) {
  return std::chrono::duration_cast<asio::steady_timer::duration>(duration<double>(seconds));
}

}  // namespace

Control::Control(int rank, Table table, std::unique_ptr<asio::io_context> io,
                 std::vector<Socket> links, double deadline)
    : rank_(rank),
      table_(std::move(table)),
      deadline_(deadline),
      interval_(std::min(1.0, deadline / 10)),
      telling_interval_(telling_interval(static_cast<int>(table_.members.size()))),
      io_(std::move(io)),
      beat_timer_(*io_),
      parts_(table_.members.size()),
      open_links_(links.size()) {
  int peer = rank_ == 0 ? 1 : 0;
  for (Socket& socket : links) {
    Link& link = links_.emplace_back(*io_, peer++, std::move(socket));
    asio::co_spawn(*io_, read(link), rethrow);
    asio::co_spawn(*io_, write(link), rethrow);
  }
  if (rank_ == 0) send_to_all({Frame::Kind::table, to_text(table_)});
  asio::co_spawn(*io_, beat(), rethrow);
  thread_ = std::thread([this] { io_->run(); });
}

Control::~Control() {
  asio::post(*io_, [this] {
    leaving_ = true;
    beat_timer_.cancel();
    for (Link& link : links_) {
      if (silent(link)) {
        link.socket.close();  // it would not answer
      } else {
        close(link);
      }
    }
  });
  {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, duration<double>(kFarewell), [&] { return open_links_ == 0; });
  }
  io_->stop();
  thread_.join();
}

std::string Control::agree(const std::string& mine, const Transport::Decide& decide) {
  asio::post(*io_, [this, mine] {
    tell_step();
    if (rank_ != 0) send_to_all({Frame::Kind::part, mine});
    contribute(rank_, mine);
  });
  std::vector<std::string> gathered;
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return gathered_ || failure_; });
    if (!gathered_) throw Error(*failure_);
    gathered = *std::exchange(gathered_, std::nullopt);
  }
  if (rank_ != 0) return std::move(gathered.front());
  std::string agreed = decide(std::move(gathered));
  asio::post(*io_, [this, agreed] { answer(agreed); });
  return agreed;
}

void Control::fail(const Error& error) {
  declare(lost_rank(rank_, member(rank_).host_name, own_step_, error));
}

void Control::check() const {
  if (!failed_) return;
  const std::scoped_lock lock(mutex_);
  throw Error(*failure_);
}

void Control::check_patiently() const {
  {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, duration<double>(kPatience), [&] { return failure_.has_value(); });
  }
  check();
}

void Control::wish_end() {
  if (end_wished_.exchange(true)) return;
  asio::post(*io_, [this] { send_to_all({Frame::Kind::wish, {}}); });
}

void Control::suspect(int peer, const std::string& reason) {
  // Peers that cannot reach each other blame each other: say who does.
  asio::post(*io_, [this, peer, how = fmt::format("{}, says {}", reason, member(rank_).who())] {
    if (rank_ != 0) {
      send_to_all({Frame::Kind::suspicion, to_text(Suspicion{peer, how})});
    }
    // Where rank 0 can decide, it does so first.
    const bool alone = rank_ == 0 || peer == 0;
    asio::co_spawn(*io_, accuse(peer, how, alone ? kPatience : 2 * kPatience), rethrow);
  });
}

void Control::at_step(std::int64_t step) {
  own_step_ = step;
  if (links_.empty()) return;
  const double time = now();
  if (time - told_at_ < telling_interval_) return;
  told_at_ = time;
  asio::post(*io_, [this] { tell_step(); });
}

// Rank 0 has a frame from and a frame to every other rank, each with a wake-up that takes tens of
// microseconds of a core: some 40 of them a second at most, however large the world is.
double Control::telling_interval(int world) {
  return 0.05 * world;
}

asio::awaitable<void> Control::accuse(int peer, std::string reason, double patience) {
  asio::steady_timer timer(*io_, ticks(patience));
  co_await timer.async_wait(asio::use_awaitable);
  lose(peer, reason);
}

asio::awaitable<void> Control::read(Link& link) {
  try {
    for (;;) {
      const Frame frame = co_await read_frame(link.socket);
      link.silent_beats = 0;
      if (!understand(link, frame)) not_ours();
    }
  } catch (const std::system_error& error) {
    if (is_not_ours(error)) {
      lose(link.peer, "it sent what is not a message of its protocol");
    } else if (!link.parted) {
      lose(link.peer, "its process ended");
    }
  }
  close(link);
  finish(link);
}

asio::awaitable<void> Control::write(Link& link) {
  try {
    for (;;) {
      while (link.outbox.empty() && !link.closing) co_await link.outbox_changed.wait();
      if (link.outbox.empty()) break;
      co_await asio::async_write(link.socket, asio::buffer(*link.outbox.front()),
                                 asio::use_awaitable);
      link.outbox.pop_front();
    }
    link.socket.shutdown(Socket::shutdown_send);
  } catch (const std::system_error&) {
    // The reader notices as well, behind what has arrived before.
  }
  finish(link);
}

// Counts heartbeats rather than seconds: a process that was stopped itself finds its clock far
// ahead, but must not take that for the silence of others.
asio::awaitable<void> Control::beat() {
  while (!leaving_) {
    tell_step();
    for (Link& link : links_) {
      if (link.closing) continue;
      ++link.silent_beats;
      if (silent(link)) {
        lose(link.peer, fmt::format("silent for {:g} s", deadline_));
      }
    }
    beat_timer_.expires_after(ticks(interval_));
    asio::error_code cancelled;
    co_await beat_timer_.async_wait(asio::redirect_error(asio::use_awaitable, cancelled));
  }
}

bool Control::understand(Link& link, const Frame& frame) {
  switch (frame.kind) {
    case Frame::Kind::beat: {
      const auto step = parse_int(frame.body);
      link.step = step.value_or(-1);
      return step.has_value();
    }
    case Frame::Kind::part:
      return take_part(link, frame.body);
    case Frame::Kind::whole:
      return take_whole(link, frame.body);
    case Frame::Kind::failure: {
      const auto cause = parse_cause(frame.body);
      if (cause) declare(Error(ExitCode::rank_failed, cause->message, cause->hint));
      return cause.has_value();
    }
    case Frame::Kind::wish:
      wish_end();  // rank 0 passes it on
      return true;
    case Frame::Kind::suspicion: {
      const auto suspicion = parse_suspicion(frame.body, world());
      if (!suspicion || rank_ != 0) return false;
      asio::co_spawn(*io_, accuse(suspicion->peer, suspicion->reason, kPatience), rethrow);
      return true;
    }
    case Frame::Kind::goodbye:
      if (!link.parted) ++parted_;
      link.parted = true;
      close(link);
      miss_the_departed();
      return true;
    case Frame::Kind::greeting:
    case Frame::Kind::challenge:
    case Frame::Kind::hello:
    case Frame::Kind::welcome:
    case Frame::Kind::refusal:
    case Frame::Kind::waiting:
    case Frame::Kind::table:
    case Frame::Kind::output:
    case Frame::Kind::end:
      return false;  // these come before all have met, or are for a controller
  }
  return false;
}

// To rank 0, and one of each rank at a time.
bool Control::take_part(Link& link, const std::string& part) {
  if (rank_ != 0 || parts_[static_cast<std::size_t>(link.peer)]) return false;
  contribute(link.peer, part);
  return true;
}

// From rank 0, and only after a part.
bool Control::take_whole(Link& link, const std::string& body) {
  if (link.peer != 0 || !parts_[static_cast<std::size_t>(rank_)]) return false;
  complete({body});
  return true;
}

void Control::send(Link& link, std::shared_ptr<const std::string> bytes) {
  if (link.closing) return;
  link.outbox.push_back(std::move(bytes));
  link.outbox_changed.notify();
}

// All links have the same bytes: a copy for each would take the world's times as much memory.
void Control::send_to_all(const Frame& frame) {
  const auto bytes = std::make_shared<const std::string>(to_bytes(frame));
  for (Link& link : links_) send(link, bytes);
}

// Rank 0 gets all parts; everybody else keeps its own alone, until the answer comes.
void Control::contribute(int rank, std::string part) {
  parts_[static_cast<std::size_t>(rank)] = std::move(part);
  if (++contributed_ < world()) return miss_the_departed();
  std::vector<std::string> gathered;
  for (auto& one : parts_) gathered.push_back(std::move(*one));
  complete(std::move(gathered));
}

void Control::answer(const std::string& agreed) {
  if (agreed.size() > largest_body(Frame::Kind::whole)) {
    return declare(Error(ExitCode::rank_failed, "ranks exchange more than 4 GiB at once"));
  }
  send_to_all({Frame::Kind::whole, agreed});
}

void Control::complete(std::vector<std::string> gathered) {
  for (auto& part : parts_) part.reset();
  contributed_ = 0;
  const std::scoped_lock lock(mutex_);
  gathered_ = std::move(gathered);
  changed_.notify_all();
}

// Whoever has said goodbye will not contribute any more.
void Control::miss_the_departed() {
  if (contributed_ == 0 || parted_ == 0) return;
  for (const Link& link : links_) {
    if (link.parted && !parts_[static_cast<std::size_t>(link.peer)]) {
      lose(link.peer, "it left before the others");
    }
  }
}

void Control::lose(int peer, const std::string& how) {
  if (leaving_) return;
  std::int64_t step = -1;
  for (const Link& link : links_) {
    if (link.peer == peer) step = link.step;
  }
  const std::string when = step < 0 ? "" : fmt::format(" at step {}", step);
  declare(Error(ExitCode::rank_failed,
                fmt::format("{} was lost{}: {}", member(peer).who(), when, how), kHint));
}

void Control::close(Link& link) {
  if (link.closing) return;
  send(link, std::make_shared<const std::string>(to_bytes({Frame::Kind::goodbye, {}})));
  link.closing = true;
}

void Control::finish(Link& link) {
  if (--link.coroutines > 0) return;
  const std::scoped_lock lock(mutex_);
  --open_links_;
  changed_.notify_all();
}

void Control::declare(const Error& cause) {
  const std::scoped_lock lock(mutex_);
  if (failure_) return;
  failure_ = cause;
  // Before anybody here can know: the farewell of a thread that does must come behind.
  asio::post(*io_, [this, cause] {
    send_to_all({Frame::Kind::failure, to_text(Cause{cause.what(), cause.hint()})});
  });
  failed_ = true;
  changed_.notify_all();
}

}  // namespace lockstep::comm::tcp
