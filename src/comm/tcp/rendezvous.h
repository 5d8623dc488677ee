#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "comm/tcp/socket.h"

namespace lockstep::comm::tcp {

// What a rank says of itself when it arrives.
struct Member {
  int rank = 0;
  int world = 1;
  std::string host_key;
  std::string host_name;
  std::int64_t process = 0;
  std::string data_address;  // without a host: where the dialling rank reached rank 0
  std::int64_t secret = 0;   // who connects for data must know it

  std::string who() const;  // "rank 3 on node2"
};

struct Table {
  std::vector<Member> members;  // by rank
};
std::string to_text(const Table& table);

struct Meeting {
  Table table;
  std::vector<Socket> links;  // of rank 0: to ranks 1, 2, ...; of the others: to rank 0
};

// Rank 0's side: waits for all others. Their links are not told the table yet.
Meeting receive_ranks(asio::io_context& io, const Member& self, Listener listener, double timeout);

// Everybody else's: returns when rank 0 has told the table.
Meeting join_ranks(asio::io_context& io, const Member& self, const std::string& coordinator,
                   double timeout);

}  // namespace lockstep::comm::tcp
