#include "comm/tcp/mesh.h"

#include <asio/co_spawn.hpp>
#include <asio/read.hpp>
#include <asio/steady_timer.hpp>
#include <asio/this_coro.hpp>
#include <asio/use_awaitable.hpp>
#include <asio/write.hpp>
#include <chrono>
#include <map>
#include <utility>

#include "base/clock.h"
#include "base/error.h"
#include "comm/tcp/address.h"

namespace lockstep::comm::tcp {
namespace {

constexpr std::chrono::milliseconds kBetweenChecks{50};

// What the dialling rank says first.
struct Greeting {
  std::int64_t secret = 0;  // of the rank that it dials
  std::int64_t rank = 0;
};

class Mesh {
 public:
  Mesh(asio::io_context& io, int rank, const Table& table, const Topology& topology,
       std::string rank0_host)
      : io_(io), rank_(rank), table_(table), rank0_host_(std::move(rank0_host)) {
    for (int peer = 0; peer < topology.world(); ++peer) {
      if (topology.host_of[peer] != topology.host_of[rank]) missing_[peer] = "no connection yet";
    }
  }

  // Of every two ranks, the higher one dials.
  void start(Listener listener) {
    asio::co_spawn(io_, receive(open_listener(io_, std::move(listener))), rethrow);
    for (const auto& [peer, trouble] : missing_) {
      if (peer < rank_) asio::co_spawn(io_, reach(peer), rethrow);
    }
  }

  const std::map<int, std::string>& missing() const { return missing_; }  // with the reasons
  std::map<int, Socket>& links() { return links_; }

 private:
  asio::awaitable<void> receive(Acceptor acceptor) {
    for (;;) {
      Socket socket = co_await accept(acceptor);
      asio::co_spawn(io_, welcome(std::move(socket)), rethrow);
    }
  }

  asio::awaitable<void> welcome(Socket socket) {
    try {
      Greeting greeting;
      co_await asio::async_read(socket, asio::buffer(&greeting, sizeof greeting),
                                asio::use_awaitable);
      if (greeting.secret == table_.members[static_cast<std::size_t>(rank_)].secret) {
        connected(static_cast<int>(greeting.rank), std::move(socket));
      }
    } catch (const std::system_error&) {
      // A stranger, or a rank that is lost: others will say so.
    }
  }

  asio::awaitable<void> reach(int peer) {
    asio::steady_timer timer(co_await asio::this_coro::executor);
    while (missing_.contains(peer)) {
      co_await try_once(peer);
      timer.expires_after(kBetweenAttempts);
      if (missing_.contains(peer)) co_await timer.async_wait(asio::use_awaitable);
    }
  }

  asio::awaitable<void> try_once(int peer) {
    const Member& member = table_.members[static_cast<std::size_t>(peer)];
    Address address = parse_address(member.data_address);
    if (address.host.empty()) address.host = rank0_host_;
    const std::string place = to_string(address);
    try {
      Socket socket = co_await dial(place);
      const Greeting greeting = {member.secret, rank_};
      co_await asio::async_write(socket, asio::buffer(&greeting, sizeof greeting),
                                 asio::use_awaitable);
      connected(peer, std::move(socket));
    } catch (const std::system_error& error) {
      missing_[peer] = fmt::format("{}: {}", place, error.code().message());
    }
  }

  void connected(int peer, Socket socket) {
    if (missing_.erase(peer) == 0) return;
    links_.emplace(peer, std::move(socket));
    if (missing_.empty()) io_.stop();
  }

  asio::io_context& io_;
  int rank_;
  const Table& table_;
  std::string rank0_host_;
  std::map<int, std::string> missing_;
  std::map<int, Socket> links_;
};

}  // namespace

std::vector<DataLink> connect_mesh(asio::io_context& io, int rank, const Table& table,
                                   const Topology& topology, Listener listener,
                                   const std::string& rank0_host, double timeout,
                                   const std::function<void()>& check) {
  asio::io_context mesh_io;
  Mesh mesh(mesh_io, rank, table, topology, rank0_host);
  mesh.start(std::move(listener));
  const double begin = now();
  while (!mesh.missing().empty()) {
    mesh_io.run_for(kBetweenChecks);
    check();
    if (mesh.missing().empty() || now() - begin < timeout) continue;
    const auto& [peer, trouble] = *mesh.missing().begin();
    throw Error(ExitCode::launch,
                fmt::format("{} cannot exchange data with {}: {}",
                            table.members[static_cast<std::size_t>(rank)].who(),
                            table.members[static_cast<std::size_t>(peer)].who(), trouble),
                "name the network that all hosts share with --network_interface");
  }
  std::vector<DataLink> links;
  for (auto& [peer, socket] : mesh.links()) links.push_back({peer, move_to(io, socket)});
  return links;
}

}  // namespace lockstep::comm::tcp
