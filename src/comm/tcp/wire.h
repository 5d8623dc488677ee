#pragma once

#include <asio/io_context.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "comm/tcp/mesh.h"
#include "comm/wire.h"

namespace lockstep::comm::tcp {

// Hears, on the wire's thread, that the connection to a peer has ended before its time.
using Broken = std::function<void(int peer, const std::string& reason)>;

// A wire over these connections, which were made for `io`. A message that nobody waits for yet is
// kept until somebody does, so no message waits behind one with another tag.
std::unique_ptr<Wire> make_wire(std::unique_ptr<asio::io_context> io, std::vector<DataLink> links,
                                Broken broken);

}  // namespace lockstep::comm::tcp
