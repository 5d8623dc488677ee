#include "comm/tcp/address.h"

#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>

#include <algorithm>
#include <asio/ip/address.hpp>
#include <asio/ip/network_v4.hpp>
#include <asio/ip/network_v6.hpp>
#include <memory>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/text.h"

namespace lockstep::comm::tcp {
namespace {

struct Interface {
  std::string name;
  asio::ip::address address;
};

std::vector<Interface> interfaces() {
  ifaddrs* first = nullptr;
  if (getifaddrs(&first) != 0) return {};
  const std::unique_ptr<ifaddrs, void (*)(ifaddrs*)> owner(first, freeifaddrs);
  std::vector<Interface> found;
  for (const ifaddrs* entry = first; entry != nullptr; entry = entry->ifa_next) {
    if (entry->ifa_addr == nullptr || (entry->ifa_flags & IFF_UP) == 0) continue;
    if (entry->ifa_addr->sa_family == AF_INET) {
      const auto* ip = reinterpret_cast<const sockaddr_in*>(entry->ifa_addr);
      found.push_back({entry->ifa_name, asio::ip::address_v4(ntohl(ip->sin_addr.s_addr))});
    } else if (entry->ifa_addr->sa_family == AF_INET6) {
      const auto* ip = reinterpret_cast<const sockaddr_in6*>(entry->ifa_addr);
      asio::ip::address_v6::bytes_type bytes;
      std::copy_n(ip->sin6_addr.s6_addr, bytes.size(), bytes.begin());
      // An address that holds on one link only means nothing to other hosts.
      const asio::ip::address_v6 address(bytes);
      if (!address.is_link_local()) found.push_back({entry->ifa_name, address});
    }
  }
  return found;
}

bool contains(const std::string& network, const asio::ip::address& address) {
  asio::error_code wrong;
  if (address.is_v4()) {
    const auto range = asio::ip::make_network_v4(network, wrong);
    return !wrong && asio::ip::network_v4(address.to_v4(), range.prefix_length()).canonical() ==
                         range.canonical();
  }
  const auto range = asio::ip::make_network_v6(network, wrong);
  return !wrong && asio::ip::network_v6(address.to_v6(), range.prefix_length()).canonical() ==
                       range.canonical();
}

}  // namespace

Address parse_address(std::string_view text) {
  const auto colon = text.rfind(':');
  if (colon != std::string_view::npos) {
    std::string_view host = text.substr(0, colon);
    const std::string_view port = text.substr(colon + 1);
    const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
    if (bracketed) host = host.substr(1, host.size() - 2);
    const auto number = parse_int(port);
    if (number && *number >= 0 && *number <= 65535 &&
        (bracketed || host.find(':') == std::string_view::npos)) {
      return {std::string(host), std::string(port)};
    }
  }
  throw Error(ExitCode::usage, fmt::format("'{}' is no address", text),
              "write host:port, such as node1:2222 or [fd00::2]:2222");
}

std::string to_string(const Address& address) {
  const bool v6 = address.host.find(':') != std::string::npos;
  return v6 ? fmt::format("[{}]:{}", address.host, address.port)
            : fmt::format("{}:{}", address.host, address.port);
}

bool is_loopback(const std::string& host) {
  asio::error_code name;
  const auto literal = asio::ip::make_address(host, name);
  return name ? host == "localhost" || host.ends_with(".localhost") : literal.is_loopback();
}

std::string interface_address(const std::string& network) {
  std::vector<std::string> known;
  for (const Interface& one : interfaces()) {
    if (one.name == network || contains(network, one.address)) return one.address.to_string();
    known.push_back(fmt::format("{} ({})", one.name, one.address.to_string()));
  }
  throw Error(ExitCode::usage, fmt::format("this host has no network '{}'", network),
              "it has " + join(known, ", "));
}

}  // namespace lockstep::comm::tcp
