#pragma once

#include <functional>
#include <string>
#include <vector>

#include "comm/collective.h"
#include "comm/tcp/rendezvous.h"

namespace lockstep::comm::tcp {

struct DataLink {
  int peer = 0;
  Socket socket;
};

// Connects this rank to every rank of another host. `rank0_host` is where it reached rank 0;
// `check` throws when a rank is lost meanwhile.
std::vector<DataLink> connect_mesh(asio::io_context& io, int rank, const Table& table,
                                   const Topology& topology, Listener listener,
                                   const std::string& rank0_host, const TcpOptions& options,
                                   const std::function<void()>& check);

}  // namespace lockstep::comm::tcp
