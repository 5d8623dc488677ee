#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "comm/transport.h"

namespace lockstep::comm {

// The `tcp` transport: ranks are processes (or parts of one) that were started in any order, on any
// hosts. All of them dial rank 0, the coordinator, who tells everybody who takes part. These
// connections stay: they carry small texts, heartbeats and the first cause of a failure. A lost
// connection means that a process ended and is noticed at once; silence means that a process or a
// line is stuck. The wire has connections of its own, one for every two ranks on different hosts,
// which tell, used or not, when those two no longer reach each other.
struct TcpOptions {
  int rank = 0;
  int world = 1;
  std::string coordinator;        // "host:port" where rank 0 listens
  std::string listen = ":0";      // where this rank listens for data; port 0: any that is free
  std::string network_interface;  // that carries data: its name, or a network such as 10.0.0.0/8;
                                  // empty: the one that reaches the coordinator
  double deadline = 60;           // a rank that is silent for so many seconds is lost
  double start_timeout = 300;     // for all ranks to arrive

  // Ranks with equal keys share memory. Empty: the key of this host, or of this container.
  std::string host_key;
};

// Listens on "host:port" from its construction on. A literal address is the only one that it
// listens on; with a name, or with nothing before the colon, it listens on all of them.
class Listener {
 public:
  explicit Listener(const std::string& address);
  ~Listener();
  Listener(Listener&& other) noexcept;
  Listener& operator=(Listener&& other) noexcept;

  std::uint16_t port() const { return port_; }
  int release();  // the socket, which is the caller's from here on

 private:
  int socket_ = -1;
  std::uint16_t port_ = 0;
};

// Returns when all ranks are here and connected. Throws Error(launch) when some do not arrive, or
// when this one is refused. Rank 0 may bring a listener, so that its port can be told to the others
// before they start; otherwise it listens where `coordinator` says.
std::unique_ptr<Transport> connect_tcp(const TcpOptions& options,
                                       std::optional<Listener> coordinator = {});

}  // namespace lockstep::comm
