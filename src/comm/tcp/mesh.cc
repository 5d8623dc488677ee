#include "comm/tcp/mesh.h"

#include <asio/co_spawn.hpp>
#include <asio/steady_timer.hpp>
#include <asio/this_coro.hpp>
#include <asio/use_awaitable.hpp>
#include <chrono>
#include <map>
#include <optional>
#include <utility>

#include "base/clock.h"
#include "base/error.h"
#include "base/text.h"
#include "comm/tcp/address.h"
#include "comm/tcp/handshake.h"

namespace lockstep::comm::tcp {
namespace {

constexpr std::chrono::milliseconds kBetweenChecks{50};

// What both ends of a connection for data have to know: where all ranks share no token, at least
// what a rank told those who take part.
std::string data_key(const TcpOptions& options, const Member& accepts) {
  return fmt::format("{} {}", options.token, accepts.secret);
}

class Mesh {
 public:
  Mesh(asio::io_context& io, int rank, const Table& table, const Topology& topology,
       std::string rank0_host, const TcpOptions& options)
      : io_(io), rank_(rank), table_(table), rank0_host_(std::move(rank0_host)), options_(options) {
    for (int peer = 0; peer < topology.world(); ++peer) {
      if (topology.host_of[peer] != topology.host_of[rank]) missing_[peer] = "no connection yet";
    }
  }

  // Of every two ranks, the higher one dials.
  void start(Listener listener) {
    gate_.emplace(
        io_, std::move(listener), data_key(options_, member(rank_)),
        [this](Socket socket, std::string hello) {
          return welcome(std::move(socket), std::move(hello));
        },
        [](const std::string&, bool) {});  // a rank that is missing will be missed
    for (const auto& [peer, trouble] : missing_) {
      if (peer < rank_) asio::co_spawn(io_, reach(peer), rethrow);
    }
  }

  const std::map<int, std::string>& missing() const { return missing_; }  // with the reasons
  std::map<int, Socket>& links() { return links_; }

 private:
  const Member& member(int rank) const { return table_.members[static_cast<std::size_t>(rank)]; }

  asio::awaitable<void> welcome(Socket socket, std::string hello) {
    const auto peer = parse_int(hello);
    if (peer && *peer > rank_ && *peer < options_.world) {
      connected(static_cast<int>(*peer), std::move(socket));
    }
    co_return;
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
    Address address = parse_address(member(peer).data_address);
    if (address.host.empty()) address.host = rank0_host_;
    const std::string place = to_string(address);
    try {
      Socket socket = co_await dial(place);
      co_await introduce(socket, data_key(options_, member(peer)), std::to_string(rank_));
      connected(peer, std::move(socket));
    } catch (const std::system_error& error) {
      missing_[peer] = fmt::format("{}: {}", place, error.code().message());
    }
  }

  // Of several, the last one counts: the dialling rank has given up the others.
  void connected(int peer, Socket socket) {
    if (missing_.erase(peer) == 0 && !links_.contains(peer)) return;
    links_.insert_or_assign(peer, std::move(socket));
    if (missing_.empty()) io_.stop();
  }

  asio::io_context& io_;
  int rank_;
  const Table& table_;
  std::string rank0_host_;
  std::map<int, std::string> missing_;
  std::map<int, Socket> links_;
  const TcpOptions& options_;
  std::optional<Gate> gate_;
};

}  // namespace

std::vector<DataLink> connect_mesh(asio::io_context& io, int rank, const Table& table,
                                   const Topology& topology, Listener listener,
                                   const std::string& rank0_host, const TcpOptions& options,
                                   const std::function<void()>& check) {
  asio::io_context mesh_io;
  Mesh mesh(mesh_io, rank, table, topology, rank0_host, options);
  mesh.start(std::move(listener));
  const double begin = now();
  while (!mesh.missing().empty()) {
    mesh_io.run_for(kBetweenChecks);
    check();
    if (mesh.missing().empty() || now() - begin < options.start_timeout) continue;
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
