#include "mpi/meeting.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/clock.h"
#include "base/random_token.h"
#include "base/text.h"
#include "comm/tcp/address.h"
#include "mpi/reach.h"

namespace lockstep::mpi {
namespace {

bool all_on_one_host(const std::string& host_key, int world) {
  const std::uint64_t mine = std::hash<std::string>()(host_key);
  std::vector<std::uint64_t> all(world);
  require(MPI_Allgather(&mine, 1, MPI_UINT64_T, all.data(), 1, MPI_UINT64_T, MPI_COMM_WORLD),
          "MPI_Allgather");
  return std::all_of(all.begin(), all.end(), [&](std::uint64_t key) { return key == mine; });
}

// Rank 0's text, on every rank.
std::string broadcast(const std::string& text) {
  std::array<char, 4096> buffer{};
  LOCKSTEP_CHECK(text.size() < buffer.size());
  std::copy(text.begin(), text.end(), buffer.begin());
  require(MPI_Bcast(buffer.data(), static_cast<int>(buffer.size()), MPI_CHAR, 0, MPI_COMM_WORLD),
          "MPI_Bcast");
  return buffer.data();
}

std::vector<std::string> addresses_for_others(const std::string& network_interface) {
  if (!network_interface.empty()) return {comm::tcp::interface_address(network_interface)};
  return own_addresses();
}

std::string choose(const std::vector<std::string>& addresses, const std::string& port,
                   double seconds) {
  const auto address = first_reachable(addresses, port, seconds);
  if (!address) {
    throw Error(ExitCode::launch,
                fmt::format("cannot reach rank 0, which listens on port {} of {}", port,
                            addresses.empty() ? "no address" : join(addresses, ", ")),
                "hosts have to accept each other's connections; --network_interface chooses the "
                "network");
  }
  return *address;
}

}  // namespace

Meeting meet(MpiThread& thread, const comm::ConnectOptions& options, const std::string& host_key) {
  // Shared with the thread, which may still use it when the wait for it is given up.
  struct Exchange {
    Meeting meeting;
    std::string told;  // rank 0's port, the token, then its addresses
  };
  const auto shared = std::make_shared<Exchange>();
  const double end = now() + options.start_timeout;
  const auto in_time = [&] {
    if (now() > end) {
      throw Error(ExitCode::launch, fmt::format("MPI's ranks do not answer each other within {} s",
                                                options.start_timeout));
    }
  };
  const auto exchange = [shared, host_key, network_interface = options.network_interface] {
    auto& [meeting, told] = *shared;
    require(MPI_Comm_rank(MPI_COMM_WORLD, &meeting.rank), "MPI_Comm_rank");
    require(MPI_Comm_size(MPI_COMM_WORLD, &meeting.world), "MPI_Comm_size");
    const bool one_host = all_on_one_host(host_key, meeting.world);
    if (meeting.rank == 0) {
      meeting.listener.emplace(one_host ? "127.0.0.1:0" : ":0");
      told =
          fmt::format("{} {} {}", meeting.listener->port(), random_token(),
                      one_host ? "127.0.0.1" : join(addresses_for_others(network_interface), " "));
    }
    told = broadcast(told);
  };
  thread.call(exchange, in_time);

  std::vector<std::string> words = split(shared->told, ' ');
  const std::string port = words.at(0);
  shared->meeting.token = words.at(1);
  words.erase(words.begin(), words.begin() + 2);
  // Rank 0 is its own neighbour: what it listens on takes its own connection, too.
  const std::string host = choose(words, port, options.start_timeout);
  shared->meeting.coordinator = comm::tcp::to_string({.host = host, .port = port});
  return std::move(shared->meeting);
}

}  // namespace lockstep::mpi
