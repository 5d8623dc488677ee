#pragma once

#include <string>
#include <string_view>

namespace lockstep::comm::tcp {

struct Address {
  std::string host;  // may be empty
  std::string port;
};

// "host:port", "1.2.3.4:port", "[::1]:port" or ":port"; throws Error(usage) for anything else.
Address parse_address(std::string_view text);
std::string to_string(const Address& address);

// Whether a host, by its name or address, is every host to itself. A name that leads there on some
// host only does not count.
bool is_loopback(const std::string& host);

// This host's address on a network, which is given as the name of an interface ("eth0") or as a
// range of addresses ("10.0.0.0/8"). Throws Error(usage) that lists what there is.
std::string interface_address(const std::string& network);

}  // namespace lockstep::comm::tcp
