#include "comm/transports.h"

#include <future>

#include "comm/tcp.h"

namespace lockstep::comm {
namespace {

using Ranks = std::vector<std::unique_ptr<Transport>>;

Ranks threads(const ConnectOptions& options) {
  return connect_threads(options.world);
}

// Each returns when all are there, so all are connected at once.
Ranks tcp(const ConnectOptions& options) {
  std::vector<std::future<std::unique_ptr<Transport>>> connecting;
  for (const int rank : options.ranks) {
    const bool first = rank == options.ranks.front();
    const TcpOptions own = {.rank = rank,
                            .world = options.world,
                            .coordinator = options.coordinator,
                            .listen = first ? options.listen : ":0",
                            .ports = options.ports,
                            .token = options.token,
                            .network_interface = options.network_interface,
                            .deadline = options.deadline,
                            .start_timeout = options.start_timeout,
                            .on_wait = first ? options.on_wait : nullptr,
                            .host_key = {}};
    connecting.push_back(std::async(std::launch::async, [own] { return connect_tcp(own); }));
  }
  Ranks ranks;
  for (auto& rank : connecting) ranks.push_back(rank.get());
  return ranks;
}

constexpr TransportRow kTransports[] = {
    {.name = "threads", .connect = threads},
    {.name = "tcp", .connect = tcp},
};

}  // namespace

std::span<const TransportRow> transports() {
  return kTransports;
}

}  // namespace lockstep::comm
