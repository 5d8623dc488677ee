#include "spec/cluster.h"

#include <algorithm>
#include <map>

#include "base/error.h"
#include "base/text.h"

namespace lockstep::spec {
namespace {

[[noreturn]] void refuse(std::string_view entry, std::string_view reason) {
  throw Error(ExitCode::usage, fmt::format("host '{}': {}", entry, reason),
              "write host:port, several of them separated by commas: node1:2230,node2:2230");
}

struct Parts {
  std::string_view host;
  std::optional<std::string_view> port;
};

// A colon within brackets, or one of several without them, belongs to an IPv6 address.
Parts take_apart(std::string_view entry) {
  if (entry.starts_with('[')) {
    const std::size_t end = entry.find(']');
    if (end == std::string_view::npos) refuse(entry, "a bracket is not closed");
    const std::string_view rest = entry.substr(end + 1);
    if (!rest.empty() && rest[0] != ':') refuse(entry, "expected a colon behind the bracket");
    return {entry.substr(1, end - 1), rest.empty() ? std::nullopt : std::optional(rest.substr(1))};
  }
  const std::size_t colon = entry.find(':');
  if (colon == std::string_view::npos || colon != entry.rfind(':')) return {entry, std::nullopt};
  return {entry.substr(0, colon), entry.substr(colon + 1)};
}

std::string checked_host(std::string_view entry, std::string_view host) {
  if (host.empty()) refuse(entry, "the name is missing");
  if (host.find_first_of(" \t\r\n/@[]") != std::string_view::npos) refuse(entry, "this is no name");
  return std::string(host);
}

int checked_port(std::string_view entry, std::optional<std::int64_t> port) {
  if (!port || *port < 1 || *port > 65535) refuse(entry, "expected a port from 1 to 65535");
  return static_cast<int>(*port);
}

}  // namespace

std::string to_string(const Address& address) {
  const bool is_ipv6 = address.host.find(':') != std::string::npos;
  return fmt::format(fmt::runtime(is_ipv6 ? "[{}]:{}" : "{}:{}"), address.host, address.port);
}

Address parse_address(std::string_view text, int default_port) {
  const std::string_view entry = trim(text);
  const Parts parts = take_apart(entry);
  return {checked_host(entry, parts.host),
          checked_port(entry, parts.port ? parse_int(*parts.port) : default_port)};
}

std::vector<Address> parse_hosts(std::string_view list, int first_port) {
  std::vector<Address> addresses;
  if (list.empty()) return addresses;
  std::map<std::string, int> entries;  // so far, of each host
  for (const std::string& entry : split(list, ',')) {
    const std::string host(take_apart(trim(entry)).host);
    const Address address = parse_address(entry, first_port + entries[host]++);
    if (std::ranges::count(addresses, address) > 0) {
      refuse(trim(entry), fmt::format("{} is there already", to_string(address)));
    }
    addresses.push_back(address);
  }
  return addresses;
}

Members members(const Cluster& cluster) {
  Members result;
  result.workers = parse_hosts(cluster.worker_hosts, kWorkerPort);
  result.servers = parse_hosts(cluster.ps_hosts, kServerPort);
  if (!cluster.controller_host.empty()) {
    result.controller = parse_address(cluster.controller_host, kControllerPort);
  }
  for (const Address& server : result.servers) {
    if (std::ranges::count(result.workers, server) > 0) {
      refuse(to_string(server), "a worker and a parameter server cannot share an address");
    }
  }
  const auto is_controller = [&](const Address& address) { return address == result.controller; };
  if (std::ranges::any_of(result.workers, is_controller) ||
      std::ranges::any_of(result.servers, is_controller)) {
    refuse(to_string(*result.controller), "the controller needs an address of its own");
  }
  return result;
}

}  // namespace lockstep::spec
