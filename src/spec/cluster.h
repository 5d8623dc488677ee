#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "spec/trial.h"

namespace lockstep::spec {

// Where a process listens.
struct Address {
  std::string host;  // a name, or an IP address without brackets
  int port = 0;

  bool operator==(const Address&) const = default;
};

// "node1:2222", "[fe80::1]:2222"
std::string to_string(const Address& address);

// The first default port of each job; a host's second process of a job takes the next one, and so
// on. Workers come last, because there may be many of them.
inline constexpr int kControllerPort = 2221;
inline constexpr int kServerPort = 2222;
inline constexpr int kWorkerPort = 2230;

// Ranks of a world at most, and so devices or servers: more is a slip of the keyboard. Every rank
// keeps a record of every other one, and every process of a host has its own files and threads.
inline constexpr int kMaxRanks = 1 << 16;

// "host:port"; a port that is missing is `default_port`.
Address parse_address(std::string_view text, int default_port);

// "a:2222,b,[fe80::1]": hosts with or without ports. The k-th entry of a host, counted from 0, has
// first_port + k by default. No entries for empty text. Throws Error(usage) that names the entry,
// be it blank.
std::vector<Address> parse_hosts(std::string_view list, int first_port);

// The processes of a cluster, each job in the order of its task indices.
struct Members {
  std::vector<Address> workers;
  std::vector<Address> servers;
  std::optional<Address> controller;
};
// Throws Error(usage) also where two processes have the same address.
Members members(const Cluster& cluster);

}  // namespace lockstep::spec
