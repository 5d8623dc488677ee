#include "comm/transport.h"

#include "comm/gathered.h"
#include "comm/tcp/message.h"

namespace lockstep::comm {
namespace {

// Who answers where there is nothing to say is not rank 0 of this program.
void expect_nothing(const Transport& transport, const std::string& agreed) {
  read_gathered(transport, 0, [&] {
    if (!agreed.empty()) throw std::length_error("an answer");
  });
}

}  // namespace

void Transport::barrier() {
  expect_nothing(*this, agree({}, [](const Parts&) { return std::string(); }));
}

std::string Transport::broadcast(const std::string& rank0s) {
  return agree(rank() == 0 ? rank0s : std::string(),
               [](const Parts& parts) { return parts.front(); });
}

Transport::Parts Transport::gather(const std::string& mine) {
  Parts all;
  expect_nothing(*this, agree(mine, [&](Parts parts) {
    all = std::move(parts);
    return std::string();
  }));
  return all;
}

Transport::Parts Transport::all_gather(const std::string& mine) {
  const std::string all = agree(mine, [](const Parts& parts) { return tcp::pack(parts); });
  return read_gathered(*this, 0,
                       [&] { return tcp::unpack(all, static_cast<std::size_t>(world())).value(); });
}

}  // namespace lockstep::comm
