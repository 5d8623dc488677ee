#pragma once

#include <vector>

#include "comm/tcp/message.h"
#include "comm/tcp/socket.h"

namespace lockstep::comm::tcp {

struct Meeting {
  Table table;
  std::vector<Socket> links;  // of rank 0: to ranks 1, 2, ...; of the others: to rank 0
};

// Rank 0's side: waits for all others. Their links are not told the table yet.
Meeting receive_ranks(asio::io_context& io, const Member& self, Listener listener,
                      const TcpOptions& options);

// Everybody else's: returns when rank 0 has told the table.
Meeting join_ranks(asio::io_context& io, const Member& self, const TcpOptions& options);

}  // namespace lockstep::comm::tcp
