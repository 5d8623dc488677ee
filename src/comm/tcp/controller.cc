#include "comm/tcp/controller.h"

#include <unistd.h>

#include <algorithm>
#include <asio/co_spawn.hpp>
#include <asio/post.hpp>
#include <asio/redirect_error.hpp>
#include <asio/steady_timer.hpp>
#include <asio/use_awaitable.hpp>
#include <asio/write.hpp>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

#include "comm/lost.h"
#include "comm/tcp/frame.h"
#include "comm/tcp/handshake.h"

namespace lockstep::comm::tcp {
namespace {

using std::chrono::duration;

constexpr double kLastWord = 2;                              // seconds that an end may take
constexpr std::size_t kMostNamed = 8;                        // strangers may come without end
constexpr std::size_t kMostPending = std::size_t{16} << 20;  // bytes for a controller that is stuck

asio::steady_timer::duration as_ticks(double seconds) {
  return std::chrono::duration_cast<asio::steady_timer::duration>(duration<double>(seconds));
}

class Follower {
 public:
  Follower(const ControllerOptions& options, Listener listener,
           const std::function<void(std::string_view lines)>& print,
           const std::function<void(const std::string& sentence)>& on_refusal)
      : options_(options),
        print_(print),
        on_refusal_(on_refusal),
        silence_(io_),
        gate_(
            io_, std::move(listener), options.token,
            [this](Socket socket, std::string hello) {
              return follow(std::move(socket), std::move(hello));
            },
            [this](const std::string& host, bool another_key) { turn_away(host, another_key); }) {}

  ExitCode run() {
    io_.run_for(as_ticks(options_.start_timeout));
    if (rank0_.empty()) {
      throw Error(ExitCode::launch,
                  fmt::format("rank 0 did not come to the controller at {} within {:g} s",
                              options_.address, options_.start_timeout),
                  "start all workers with the same --controller_host and token, or raise "
                  "--start_timeout");
    }
    io_.run();
    if (!end_) {
      throw Error(ExitCode::rank_failed, fmt::format("{} was lost: {}", rank0_, lost_),
                  "the output of that rank may say more");
    }
    const auto code = static_cast<ExitCode>(end_->exit_code);
    if (end_->cause.message.empty()) return code;
    throw Error(code, fmt::format("{}: {}", rank0_, end_->cause.message), end_->cause.hint);
  }

 private:
  asio::awaitable<void> follow(Socket socket, std::string hello) {
    const auto member = parse_member(hello);
    if (!member || member->rank != 0 || !rank0_.empty()) not_ours();
    rank0_ = member->who();
    try {
      while (!end_) {
        end_when_silent(socket);
        const Frame frame = co_await read_frame(socket);
        understand(frame);
      }
    } catch (const std::system_error& error) {
      lost_ = silent_              ? fmt::format("silent for {:g} s", options_.deadline)
              : is_not_ours(error) ? "it sent what is not a message of its protocol"
                                   : "its process ended";
    }
    io_.stop();
  }

  // Unless it is called again in time. A process that was stopped finds its clock far ahead, but
  // also what rank 0 has sent: that is read first, and there is time again.
  void end_when_silent(Socket& socket) {
    silence_.expires_after(as_ticks(options_.deadline));
    silence_.async_wait([this, &socket](asio::error_code cancelled) {
      if (cancelled || silence_.expiry() > std::chrono::steady_clock::now()) return;
      silent_ = true;
      asio::error_code closed;
      socket.close(closed);
    });
  }

  void understand(const Frame& frame) {
    switch (frame.kind) {
      case Frame::Kind::beat:
        return;
      case Frame::Kind::output:
        print_(peer_lines(frame.body));
        return;
      case Frame::Kind::end:
        end_ = parse_end(frame.body);
        if (end_) return;
        [[fallthrough]];
      default:
        not_ours();
    }
  }

  void turn_away(const std::string& host, bool another_key) {
    std::string whom = Gate::describe_dropped(host, another_key);
    if (named_.size() < kMostNamed && named_.insert(whom).second)
      on_refusal_("turned away " + whom);
  }

  const ControllerOptions& options_;
  const std::function<void(std::string_view lines)>& print_;
  const std::function<void(const std::string& sentence)>& on_refusal_;
  asio::io_context io_;
  asio::steady_timer silence_;
  std::string rank0_;  // empty: it has not come yet
  bool silent_ = false;
  std::string lost_;
  std::optional<End> end_;
  std::set<std::string> named_;
  Gate gate_;
};

}  // namespace

ExitCode follow_rank0(const ControllerOptions& options, Listener listener,
                      const std::function<void(std::string_view lines)>& print,
                      const std::function<void(const std::string& sentence)>& on_refusal) {
  return Follower(options, std::move(listener), print, on_refusal).run();
}

class ControllerLink::Thread {
 public:
  Thread(const ControllerOptions& options, int world)
      : address_(options.address),
        token_(options.token),
        hello_(to_text(Member{.rank = 0,
                              .world = world,
                              .host_key = {},
                              .host_name = own_host_name(),
                              .process = getpid(),
                              .data_address = ":0"})),
        between_beats_(as_ticks(std::min(1.0, options.deadline / 10))),
        timer_(io_) {
    asio::co_spawn(io_, serve(), rethrow);
    thread_ = std::thread([this] { io_.run(); });
  }
  ~Thread() {
    io_.stop();
    thread_.join();
  }
  Thread(const Thread&) = delete;
  Thread& operator=(const Thread&) = delete;

  std::optional<std::string> wait(double seconds) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, duration<double>(seconds), [&] { return state_ != State::dialling; });
    if (state_ != State::dialling) return std::nullopt;
    io_.stop();
    state_ = State::absent;
    return trouble_;
  }

  void send(const Frame& frame) {
    const std::scoped_lock lock(mutex_);
    if (!is_open() || ending_) return;
    ending_ = frame.kind == Frame::Kind::end;
    if (pending_.size() < kMostPending || ending_) pending_ += to_bytes(frame);
    asio::post(io_, [this] { timer_.cancel(); });
  }

  bool end(const End& end) {
    send({Frame::Kind::end, to_text(end)});
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, duration<double>(kLastWord), [&] { return !is_open(); });
    return state_ == State::ended || state_ == State::absent;
  }

 private:
  enum class State { dialling, absent, connected, ended, lost };
  bool is_open() const { return state_ == State::dialling || state_ == State::connected; }

  asio::awaitable<void> serve() {
    Socket socket(io_);
    while (!co_await is_reached(socket)) co_await pause(kBetweenAttempts);
    change(State::connected);
    try {
      for (bool last = false; !last;) {
        const std::string bytes = take_pending(last);
        if (bytes.empty()) {
          co_await pause(between_beats_);
        } else {
          co_await asio::async_write(socket, asio::buffer(bytes), asio::use_awaitable);
        }
      }
      change(State::ended);
    } catch (const std::system_error&) {
      change(State::lost);
    }
  }

  asio::awaitable<bool> is_reached(Socket& socket) {
    try {
      socket = co_await dial(address_);
      co_await introduce(socket, token_, hello_);
      co_return true;
    } catch (const std::system_error& error) {
      const std::scoped_lock lock(mutex_);
      trouble_ = dialling_trouble(error);
    }
    co_return false;
  }

  // Ends early when something is to be sent; a heartbeat is, when nothing else is.
  asio::awaitable<void> pause(asio::steady_timer::duration time) {
    timer_.expires_after(time);
    asio::error_code woken;
    co_await timer_.async_wait(asio::redirect_error(asio::use_awaitable, woken));
    const std::scoped_lock lock(mutex_);
    if (pending_.empty() && !woken) pending_ = to_bytes({Frame::Kind::beat, {}});
  }

  std::string take_pending(bool& last) {
    const std::scoped_lock lock(mutex_);
    last = ending_;
    return std::exchange(pending_, {});
  }

  void change(State state) {
    const std::scoped_lock lock(mutex_);
    state_ = state;
    changed_.notify_all();
  }

  const std::string address_, token_, hello_;
  const asio::steady_timer::duration between_beats_;
  asio::io_context io_;
  asio::steady_timer timer_;

  std::mutex mutex_;  // for what follows
  std::condition_variable changed_;
  State state_ = State::dialling;
  std::string trouble_ = "no answer yet";
  std::string pending_;  // frames
  bool ending_ = false;  // the last one is among them, or has been sent

  std::thread thread_;
};

ControllerLink::ControllerLink(const ControllerOptions& options, int world)
    : thread_(std::make_unique<Thread>(options, world)) {}

ControllerLink::~ControllerLink() = default;

std::optional<std::string> ControllerLink::wait(double seconds) {
  return thread_->wait(seconds);
}

void ControllerLink::print(std::string_view lines) {
  thread_->send({Frame::Kind::output, std::string(lines)});
}

bool ControllerLink::end(ExitCode code, const Error* error) {
  return thread_->end(
      {static_cast<int>(code), error == nullptr ? Cause{} : Cause{error->what(), error->hint()}});
}

}  // namespace lockstep::comm::tcp
