#include "comm/tcp/rendezvous.h"

#include <asio/co_spawn.hpp>
#include <asio/steady_timer.hpp>
#include <asio/this_coro.hpp>
#include <asio/use_awaitable.hpp>
#include <asio/write.hpp>
#include <chrono>
#include <optional>
#include <set>
#include <utility>

#include "base/check.h"
#include "base/error.h"
#include "base/text.h"
#include "comm/tcp/address.h"
#include "comm/tcp/frame.h"

namespace lockstep::comm::tcp {
namespace {

constexpr std::chrono::seconds kGrace{2};

std::chrono::nanoseconds nanoseconds(double seconds) {
  return std::chrono::nanoseconds(static_cast<std::int64_t>(seconds * 1e9));
}

std::string to_text(const Member& member) {
  const std::vector<std::string> fields = {std::to_string(member.rank),
                                           std::to_string(member.world),
                                           member.host_key,
                                           member.host_name,
                                           std::to_string(member.process),
                                           member.data_address,
                                           std::to_string(member.secret)};
  return pack(fields);
}

Member parse_member(std::string_view text) {
  const auto fields = unpack(text);
  if (fields.size() != 7) throw std::system_error(std::make_error_code(std::errc::bad_message));
  const auto number = [&](std::size_t field) { return parse_int(fields[field]).value_or(-1); };
  return {.rank = static_cast<int>(number(0)),
          .world = static_cast<int>(number(1)),
          .host_key = fields[2],
          .host_name = fields[3],
          .process = number(4),
          .data_address = fields[5],
          .secret = number(6)};
}

Table parse_table(std::string_view text) {
  Table table;
  for (const std::string& member : unpack(text)) table.members.push_back(parse_member(member));
  return table;
}

// Ranks as they arrive at rank 0. One that leaves again before all are here may come back.
class Reception {
 public:
  Reception(asio::io_context& io, const Member& self)
      : io_(io), self_(self), arrivals_(static_cast<std::size_t>(self.world)) {}

  asio::awaitable<void> receive(Acceptor acceptor) {
    for (;;) {
      Socket socket = co_await accept(acceptor);
      asio::co_spawn(io_, welcome(std::move(socket)), rethrow);
    }
  }

  std::vector<std::string> missing() const {
    std::vector<std::string> ranks;
    for (int rank = 1; rank < self_.world; ++rank) {
      if (!arrivals_[rank]) ranks.push_back(std::to_string(rank));
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

 private:
  struct Arrival {
    Member member;
    Socket* socket = nullptr;  // lives in the coroutine that welcomed the rank
  };

  asio::awaitable<void> welcome(Socket socket) {
    try {
      const Frame hello = co_await read_frame(socket);
      if (hello.kind != Frame::Kind::hello) co_return;
      Member member = parse_member(hello.body);
      if (const std::string objection = object_to(member); !objection.empty()) {
        refusals_.insert(objection);
        const std::string refusal = to_bytes({Frame::Kind::refusal, objection});
        co_await asio::async_write(socket, asio::buffer(refusal), asio::use_awaitable);
        co_return;
      }
      complete_address(member, socket);
      auto& arrival = arrivals_[static_cast<std::size_t>(member.rank)];
      arrival = Arrival{std::move(member), &socket};
      if (missing().empty()) io_.stop();
      co_await socket.async_wait(Socket::wait_read, asio::use_awaitable);
      arrival.reset();  // it ended, or speaks out of turn
    } catch (const std::system_error& error) {
      // It has ended, or is none of our ranks: it is not here.
      if (error.code() == std::errc::bad_message) {
        refusals_.insert("somebody who speaks otherwise than this version of lockstep");
      }
    }
  }

  // Nothing, when it may take part.
  std::string object_to(const Member& member) const {
    const std::string who = fmt::format("{} (process {})", member.who(), member.process);
    if (member.world != self_.world) {
      return fmt::format("{} expects {} ranks, rank 0 expects {}", who, member.world, self_.world);
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
    if (member.data_address.empty()) return;
    Address address = parse_address(member.data_address);
    const std::string seen = remote_host(socket);
    if (address.host.empty() && !asio::ip::make_address(seen).is_loopback()) address.host = seen;
    member.data_address = to_string(address);
  }

  asio::io_context& io_;
  const Member& self_;
  std::vector<std::optional<Arrival>> arrivals_;
  std::set<std::string> refusals_;
};

// A rank's own view while it tries to join.
struct Attempt {
  std::string trouble = "no answer";
  bool connected = false;
  std::optional<Error> refused;
  std::optional<Table> table;
  std::optional<Socket> link;
};

asio::awaitable<void> try_once(const Member& self, const std::string& coordinator,
                               Attempt& attempt) {
  try {
    Socket socket = co_await dial(coordinator);
    attempt.connected = true;
    attempt.trouble = "it waits for other ranks";
    const std::string hello = to_bytes({Frame::Kind::hello, to_text(self)});
    co_await asio::async_write(socket, asio::buffer(hello), asio::use_awaitable);
    const Frame answer = co_await read_frame(socket);
    if (answer.kind == Frame::Kind::refusal) {
      attempt.refused.emplace(ExitCode::launch, "refused by rank 0: " + answer.body,
                              "give every rank the same list of hosts, and each its own place");
      co_return;
    }
    attempt.table = parse_table(answer.body);
    attempt.link = std::move(socket);
  } catch (const std::system_error& error) {
    attempt.connected = false;
    attempt.trouble = error.code().message();
  }
}

asio::awaitable<void> keep_trying(const Member& self, const std::string& coordinator,
                                  Attempt& attempt) {
  asio::steady_timer timer(co_await asio::this_coro::executor);
  for (;;) {
    co_await try_once(self, coordinator, attempt);
    if (attempt.refused || attempt.table) co_return;
    timer.expires_after(kBetweenAttempts);
    co_await timer.async_wait(asio::use_awaitable);
  }
}

}  // namespace

std::string Member::who() const {
  return fmt::format("rank {} on {}", rank, host_name);
}

std::string to_text(const Table& table) {
  std::vector<std::string> members;
  for (const Member& member : table.members) members.push_back(to_text(member));
  return pack(members);
}

Meeting receive_ranks(asio::io_context& io, const Member& self, Listener listener, double timeout) {
  // Whatever is still under way on this one, strangers included, ends with it.
  asio::io_context meeting_io;
  Reception reception(meeting_io, self);
  asio::co_spawn(meeting_io, reception.receive(open_listener(meeting_io, std::move(listener))),
                 rethrow);
  meeting_io.run_for(nanoseconds(timeout));
  if (const auto missing = reception.missing(); !missing.empty()) {
    std::string text = fmt::format("{} of {} ranks did not arrive within {:g} s: {} {}",
                                   missing.size(), self.world, timeout,
                                   missing.size() == 1 ? "rank" : "ranks", join(missing, ", "));
    for (const std::string& refusal : reception.refusals()) text += "; refused: " + refusal;
    const std::string refusal = to_bytes({Frame::Kind::refusal, text});
    reception.for_each([&](const Member&, Socket& socket) {
      asio::error_code gone;
      asio::write(socket, asio::buffer(refusal), gone);
    });
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

Meeting join_ranks(asio::io_context& io, const Member& self, const std::string& coordinator,
                   double timeout) {
  asio::io_context meeting_io;
  Attempt attempt;
  asio::co_spawn(meeting_io, keep_trying(self, coordinator, attempt), rethrow);
  meeting_io.run_for(nanoseconds(timeout));
  // Rank 0 may have started later than we did, and will know best who is missing.
  if (attempt.connected) meeting_io.run_for(nanoseconds(timeout) + kGrace);
  if (attempt.refused) throw Error(*attempt.refused);
  if (!attempt.table) {
    throw Error(ExitCode::launch,
                fmt::format("{} cannot join rank 0 at {} within {:g} s: {}", self.who(),
                            coordinator, timeout, attempt.trouble),
                "start rank 0 there, and let nothing between the hosts block its port");
  }
  LOCKSTEP_CHECK(attempt.table->members.size() == static_cast<std::size_t>(self.world));
  Meeting meeting;
  meeting.table = std::move(*attempt.table);
  meeting.links.push_back(move_to(io, *attempt.link));
  return meeting;
}

}  // namespace lockstep::comm::tcp
