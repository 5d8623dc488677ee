#include "launch/here.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <unistd.h>

#include <array>

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

}  // namespace lockstep::launch
