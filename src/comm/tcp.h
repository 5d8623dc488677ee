#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/descriptor.h"
#include "comm/transport.h"
#include "comm/transports.h"

namespace lockstep::comm {

namespace tcp {
struct Address;
}

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
  std::string listen = ":0";      // where this rank listens for data; port 0: one of `ports`
  PortRange ports = {};           // empty: any that is free
  std::string token = {};         // all ranks have the same; who does not is not let in
  std::string network_interface;  // that carries data: its name, or a network such as 10.0.0.0/8;
                                  // empty: the one that reaches the coordinator
  double deadline = 60;           // a rank that is silent for so many seconds is lost
  double start_timeout = 300;     // for all ranks to arrive

  // Hears, while ranks are missing, which ones, and who was turned away: after the first notice's
  // seconds, and then again and again.
  std::function<void(const std::string& sentence)> on_wait = {};
  double first_notice = 5;
  double next_notices = 30;

  // Ranks with equal keys share memory. Empty: the key of this host, or of this container.
  std::string host_key;
};

// Listens from its construction on. A literal address, or the one that a name leads to, is the only
// one that it listens on; without a host it listens on all of them, and so it does for a name that
// leads to the loopback, or to none of this host's addresses: others know it by another one.
class Listener {
 public:
  explicit Listener(const std::string& address);  // "host:port"
  // On the first port that is free, beginning with the preferred one, counted from 0.
  Listener(const std::string& host, const PortRange& ports, int preferred);

  std::uint16_t port() const { return port_; }
  const std::string& host() const { return host_; }  // an address; empty: all of them
  int release() { return socket_.release(); }  // the socket, which is the caller's from here on

 private:
  void open(const tcp::Address& address);

  Descriptor socket_;
  std::uint16_t port_ = 0;
  std::string host_;
};

// Returns when all ranks are here and connected. Throws Error(launch) when some do not arrive, or
// when this one is refused. Rank 0 may bring a listener, so that its port can be told to the others
// before they start; otherwise it listens where `coordinator` says.
std::unique_ptr<Transport> connect_tcp(const TcpOptions& options,
                                       std::optional<Listener> coordinator = {});

}  // namespace lockstep::comm
