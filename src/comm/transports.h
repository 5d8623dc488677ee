#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "comm/transport.h"

namespace lockstep::comm {

struct PortRange {
  int first = 0;
  int count = 0;

  bool operator==(const PortRange&) const = default;
};

// How a process takes part; a transport reads what concerns it.
struct ConnectOptions {
  std::vector<int> ranks = {0};  // of this process
  int world = 1;
  std::string coordinator = {};        // "host:port" where rank 0 listens
  std::string listen = ":0";           // where the first of its ranks listens for data
  PortRange ports = {};                // where all others do; empty: on any that is free
  std::string token = {};              // all processes have the same; who does not is not let in
  std::string network_interface = {};  // that carries data between hosts; empty: found out
  double deadline = 60;                // seconds of silence after which a rank is lost
  double start_timeout = 300;          // seconds for all ranks to arrive
  // Hears which ranks are missing, and who was turned away.
  std::function<void(const std::string& sentence)> on_wait = {};
};

struct TransportRow {
  std::string_view name;  // as spec/transports.h lists it
  // Membership of each rank of this process, once all of the world are connected.
  std::vector<std::unique_ptr<Transport>> (*connect)(const ConnectOptions& options);
};

// Those that need nothing but the operating system.
std::span<const TransportRow> transports();

}  // namespace lockstep::comm
