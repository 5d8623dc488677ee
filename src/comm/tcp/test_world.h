#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "comm/tcp.h"

namespace lockstep::comm::tcp {

// For tests: one thread per rank; the first exception of any is thrown here.
inline void on_every_rank(int world, const std::function<void(int rank)>& work) {
  std::vector<std::exception_ptr> failures(static_cast<std::size_t>(world));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < world; ++rank) {
    threads.emplace_back([&, rank] {
      try {
        work(rank);
      } catch (...) {
        failures[static_cast<std::size_t>(rank)] = std::current_exception();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

// Ranks of this process that believe to be on the hosts with these keys.
inline std::vector<std::unique_ptr<Transport>> connect_world(const std::vector<std::string>& hosts,
                                                             TcpOptions options = {}) {
  const int world = static_cast<int>(hosts.size());
  Listener coordinator("127.0.0.1:0");
  options.world = world;
  options.coordinator = "127.0.0.1:" + std::to_string(coordinator.port());
  options.start_timeout = 20;
  std::vector<std::unique_ptr<Transport>> ranks(hosts.size());
  on_every_rank(world, [&](int rank) {
    TcpOptions own = options;
    own.rank = rank;
    own.host_key = hosts[static_cast<std::size_t>(rank)];
    ranks[static_cast<std::size_t>(rank)] =
        rank == 0 ? connect_tcp(own, std::move(coordinator)) : connect_tcp(own);
  });
  return ranks;
}

}  // namespace lockstep::comm::tcp
