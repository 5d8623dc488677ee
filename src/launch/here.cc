#include "launch/here.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "base/descriptor.h"

namespace lockstep::launch {
namespace {

std::string text_of(const sockaddr& address) {
  std::array<char, INET6_ADDRSTRLEN> text = {};
  const void* bytes =
      address.sa_family == AF_INET
          ? static_cast<const void*>(&reinterpret_cast<const sockaddr_in&>(address).sin_addr)
          : &reinterpret_cast<const sockaddr_in6&>(address).sin6_addr;
  inet_ntop(address.sa_family, bytes, text.data(), text.size());
  return text.data();
}

}  // namespace

std::vector<std::string> own_names() {
  std::vector<std::string> names = {"localhost"};
  std::array<char, 256> name = {};
  if (gethostname(name.data(), name.size() - 1) == 0) {
    const std::string full = name.data();
    names.push_back(full);
    names.push_back(full.substr(0, full.find('.')));
  }
  ifaddrs* interfaces = nullptr;
  if (getifaddrs(&interfaces) != 0) return names;
  for (const ifaddrs* each = interfaces; each != nullptr; each = each->ifa_next) {
    if (each->ifa_addr == nullptr) continue;
    const int family = each->ifa_addr->sa_family;
    if (family == AF_INET || family == AF_INET6) names.push_back(text_of(*each->ifa_addr));
  }
  freeifaddrs(interfaces);
  return names;
}

// The kernel knows best: a socket can be bound to addresses of this machine only.
bool is_address_elsewhere(const std::string& address) {
  const addrinfo literal = {.ai_flags = AI_NUMERICHOST,
                            .ai_family = AF_UNSPEC,
                            .ai_socktype = SOCK_STREAM,
                            .ai_protocol = 0,
                            .ai_addrlen = 0,
                            .ai_addr = nullptr,
                            .ai_canonname = nullptr,
                            .ai_next = nullptr};
  addrinfo* found = nullptr;
  if (getaddrinfo(address.c_str(), nullptr, &literal, &found) != 0) return false;
  const Descriptor probe(socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const bool elsewhere =
      bind(probe.get(), found->ai_addr, found->ai_addrlen) != 0 && errno == EADDRNOTAVAIL;
  freeaddrinfo(found);
  return elsewhere;
}

}  // namespace lockstep::launch
