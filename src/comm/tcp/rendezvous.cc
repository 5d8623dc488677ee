#include "comm/tcp/rendezvous.h"

#include <asio/co_spawn.hpp>
#include <asio/redirect_error.hpp>
#include <asio/steady_timer.hpp>
#include <asio/this_coro.hpp>
#include <asio/use_awaitable.hpp>
#include <asio/write.hpp>
#include <chrono>
#include <functional>
#include <optional>
#include <set>
#include <utility>

#include "base/clock.h"
#include "base/error.h"
#include "base/text.h"
#include "comm/tcp/address.h"
#include "comm/tcp/frame.h"
#include "comm/tcp/handshake.h"

namespace lockstep::comm::tcp {
namespace {

constexpr std::chrono::seconds kGrace{2};

// Another program may listen where rank 0 is about to: a rank gives up after meeting another token
// for this many seconds.
constexpr double kDisagreement = 3;

constexpr std::size_t kMostRefusals = 8;  // strangers may come without end
constexpr std::size_t kMostNames = 20;

std::chrono::nanoseconds nanoseconds(double seconds) {
  return std::chrono::nanoseconds(static_cast<std::int64_t>(seconds * 1e9));
}

// "rank 3", "ranks 1, 2 and 4 more"
std::string names_of(const std::vector<int>& ranks) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(ranks.size(), kMostNames); ++i) {
    names.push_back(std::to_string(ranks[i]));
  }
  std::string text = (ranks.size() == 1 ? "rank " : "ranks ") + join(names, ", ");
  if (ranks.size() > kMostNames) text += fmt::format(" and {} more", ranks.size() - kMostNames);
  return text;
}

// Calls `notice` after a while, and then again and again.
asio::awaitable<void> repeat(const TcpOptions& options, std::function<void()> notice) {
  asio::steady_timer timer(co_await asio::this_coro::executor);
  for (double pause = options.first_notice;; pause = options.next_notices) {
    timer.expires_after(nanoseconds(pause));
    co_await timer.async_wait(asio::use_awaitable);
    notice();
  }
}

// Ranks as they arrive at rank 0. One that leaves again before all are here may come back.
class Reception {
 public:
  Reception(asio::io_context& io, const Member& self, const TcpOptions& options)
      : io_(io), self_(self), options_(options), arrivals_(static_cast<std::size_t>(self.world)) {
    asio::co_spawn(io_, repeat(options_, [this] { report_missing(); }), rethrow);
  }

  asio::awaitable<void> welcome(Socket socket, std::string hello) {
    std::optional<Member> member = parse_member(hello);
    if (!member) not_ours();
    if (const std::string objection = object_to(*member); !objection.empty()) {
      turn_away(objection);
      const Frame refusal = {Frame::Kind::refusal, objection};
      co_await write_frame(socket, refusal);
      co_return;
    }
    complete_address(*member, socket);
    auto& arrival = arrivals_[static_cast<std::size_t>(member->rank)];
    arrival = Arrival{std::move(*member), &socket};
    if (missing().empty()) io_.stop();
    asio::error_code ended;
    co_await socket.async_wait(Socket::wait_read, asio::redirect_error(asio::use_awaitable, ended));
    arrival.reset();  // it ended, or speaks out of turn
  }

  void drop(const std::string& host, bool another_key) {
    turn_away(Gate::describe_dropped(host, another_key));
  }

  std::vector<int> missing() const {
    std::vector<int> ranks;
    for (int rank = 1; rank < self_.world; ++rank) {
      if (!arrivals_[rank]) ranks.push_back(rank);
    }
    return ranks;
  }
  const std::set<std::string>& refusals() const { return refusals_; }

  // Those who are here, from rank 1 on.
  template <typename Use>
  void for_each(const Use& use) {
    for (auto& arrival : arrivals_) {
      if (arrival) use(arrival->member, *arrival->socket);
    }
  }

  // As much as the kernel takes at once, which is all of it unless the rank does not listen.
  void send_to_all(const Frame& frame) {
    const std::string bytes = to_bytes(frame);
    for_each([&](const Member&, Socket& socket) {
      asio::error_code trouble;
      socket.non_blocking(true, trouble);
      if (socket.write_some(asio::buffer(bytes), trouble) != bytes.size()) socket.close(trouble);
    });
  }

 private:
  struct Arrival {
    Member member;
    Socket* socket = nullptr;  // lives in the coroutine that welcomed the rank
  };

  // Nothing, when it may take part.
  std::string object_to(const Member& member) const {
    const std::string who = fmt::format("{} (process {})", member.who(), member.process);
    if (member.world != self_.world) {
      return fmt::format("{} expects {}, rank 0 expects {}", who, counted(member.world, "rank"),
                         self_.world);
    }
    if (member.rank <= 0 || member.rank >= self_.world) {
      return fmt::format("{} is not among ranks 1 to {}", who, self_.world - 1);
    }
    if (const auto& first = arrivals_[static_cast<std::size_t>(member.rank)]) {
      return fmt::format("{} is one too many: process {} on {} has this rank already", who,
                         first->member.process, first->member.host_name);
    }
    return {};
  }

  // Others reach a rank at the address that it came from; a neighbour of rank 0 that came from
  // within the host, where they reach rank 0.
  static void complete_address(Member& member, const Socket& socket) {
    Address address = parse_address(member.data_address);
    const std::string seen = remote_host(socket);
    if (address.host.empty() && !is_loopback(seen)) address.host = seen;
    member.data_address = to_string(address);
  }

  void turn_away(const std::string& whom) {
    if (refusals_.size() >= kMostRefusals || !refusals_.insert(whom).second) return;
    say("turned away " + whom);
  }

  void report_missing() {
    const std::string sentence =
        fmt::format("waiting for {} of {}", names_of(missing()), self_.world);
    say(fmt::format("{} at {}", sentence, options_.coordinator));
    send_to_all({Frame::Kind::waiting, sentence});
  }

  void say(const std::string& sentence) const {
    if (options_.on_wait) options_.on_wait(sentence);
  }

  asio::io_context& io_;
  const Member& self_;
  const TcpOptions& options_;
  std::vector<std::optional<Arrival>> arrivals_;
  std::set<std::string> refusals_;
};

// A rank's own side.
class Candidate {
 public:
  Candidate(const Member& self, const TcpOptions& options) : self_(self), options_(options) {}

  asio::awaitable<void> keep_trying() {
    asio::steady_timer timer(co_await asio::this_coro::executor);
    for (;;) {
      co_await try_once();
      if (refused || table) co_return;
      timer.expires_after(kBetweenAttempts);
      co_await timer.async_wait(asio::use_awaitable);
    }
  }

  void report_waiting() const {
    if (!options_.on_wait) return;
    options_.on_wait(
        fmt::format("{}: waiting for {}{}", self_.who(), connected ? "" : rank0() + ": ", trouble));
  }

  std::string rank0() const { return "rank 0 at " + options_.coordinator; }

  std::string trouble = "no answer yet";
  bool connected = false;
  std::optional<Error> refused;
  std::optional<Table> table;
  std::optional<Socket> link;

 private:
  asio::awaitable<void> try_once() {
    bool another_token = false;
    try {
      Socket socket = co_await dial(options_.coordinator);
      trouble = "it does not answer";
      co_await introduce(socket, options_.token, to_text(self_));
      connected = true;
      trouble = "other ranks";
      while (!table && !refused) {
        const Frame frame = co_await read_frame(socket);
        understand(frame);
      }
      link = std::move(socket);
    } catch (const std::system_error& error) {
      another_token = has_another_key(error);
      if (is_not_ours(error) && connected) refuse_to_understand();
      connected = false;
      trouble = dialling_trouble(error);
    }
    if (!another_token) {
      disagreed_since_.reset();
    } else if (!disagreed_since_) {
      disagreed_since_ = now();
    } else if (now() - *disagreed_since_ > kDisagreement) {
      refused.emplace(ExitCode::usage,
                      fmt::format("{} and {} have different tokens", self_.who(), rank0()),
                      "give all ranks the same LOCKSTEP_TOKEN or --token_file");
    }
  }

  void understand(const Frame& frame) {
    switch (frame.kind) {
      case Frame::Kind::waiting:
        trouble = peer_text(frame.body);
        if (trouble.starts_with("waiting for ")) trouble.erase(0, 12);
        return;
      case Frame::Kind::refusal:
        refused.emplace(ExitCode::launch, "refused by rank 0: " + peer_text(frame.body),
                        "give every rank the same list of hosts, and each its own place");
        return;
      case Frame::Kind::table:
        table = parse_table(frame.body, self_.world);
        if (table) return;
        [[fallthrough]];
      default:
        refuse_to_understand();
    }
  }

  void refuse_to_understand() {
    refused.emplace(ExitCode::rank_failed, rank0() + " sent what is not a message of its protocol",
                    "start the same version of lockstep everywhere");
  }

  const Member& self_;
  const TcpOptions& options_;
  std::optional<double> disagreed_since_;
};

}  // namespace

Meeting receive_ranks(asio::io_context& io, const Member& self, Listener listener,
                      const TcpOptions& options) {
  // Whatever is still under way on this one, strangers included, ends with it.
  asio::io_context meeting_io;
  Reception reception(meeting_io, self, options);
  Gate gate(
      meeting_io, std::move(listener), options.token,
      [&](Socket socket, std::string hello) {
        return reception.welcome(std::move(socket), std::move(hello));
      },
      [&](const std::string& host, bool another_key) { reception.drop(host, another_key); });
  meeting_io.run_for(nanoseconds(options.start_timeout));
  if (const auto missing = reception.missing(); !missing.empty()) {
    std::string text =
        fmt::format("{} of {} ranks did not arrive within {:g} s: {}", missing.size(), self.world,
                    options.start_timeout, names_of(missing));
    for (const std::string& refusal : reception.refusals()) text += "; turned away: " + refusal;
    reception.send_to_all({Frame::Kind::refusal, peer_text(text)});
    throw Error(ExitCode::launch, text, "start them, or raise the time to start");
  }
  Meeting meeting;
  meeting.table.members.push_back(self);
  reception.for_each([&](const Member& member, Socket& socket) {
    meeting.table.members.push_back(member);
    meeting.links.push_back(move_to(io, socket));
  });
  return meeting;
}

Meeting join_ranks(asio::io_context& io, const Member& self, const TcpOptions& options) {
  asio::io_context meeting_io;
  Candidate candidate(self, options);
  asio::co_spawn(meeting_io, candidate.keep_trying(), [&](std::exception_ptr failure) {
    rethrow(failure);
    meeting_io.stop();
  });
  asio::co_spawn(meeting_io, repeat(options, [&] { candidate.report_waiting(); }), rethrow);
  meeting_io.run_for(nanoseconds(options.start_timeout));
  // Rank 0 may have started later than we did, and will know best who is missing.
  if (candidate.connected && !candidate.table && !candidate.refused) {
    meeting_io.run_for(nanoseconds(options.start_timeout) + kGrace);
  }
  if (candidate.refused) throw Error(*candidate.refused);
  if (!candidate.table) {
    throw Error(ExitCode::launch,
                fmt::format("{} cannot join {} within {:g} s: {}", self.who(), candidate.rank0(),
                            options.start_timeout, candidate.trouble),
                "start rank 0 there, and let nothing between the hosts block its port");
  }
  Meeting meeting;
  meeting.table = std::move(*candidate.table);
  meeting.links.push_back(move_to(io, *candidate.link));
  return meeting;
}

}  // namespace lockstep::comm::tcp
