#include "mpi/reach.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <memory>

#include "base/clock.h"
#include "base/descriptor.h"

namespace lockstep::mpi {
namespace {

// A socket that is being connected.
class Attempt {
 public:
  Attempt(const std::string& address, const std::string& port) : address_(address) {
    addrinfo hints{};
    hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    if (getaddrinfo(address.c_str(), port.c_str(), &hints, &found) != 0) return;
    const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owner(found, freeaddrinfo);
    socket_ = Descriptor(socket(found->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (!socket_) return;
    if (connect(socket_.get(), found->ai_addr, found->ai_addrlen) == 0) return;
    if (errno != EINPROGRESS) give_up();
  }

  const std::string& address() const { return address_; }
  int socket_or_none() const { return socket_.get(); }
  bool open() const { return static_cast<bool>(socket_); }
  bool succeeded() const {
    int error = 0;
    socklen_t size = sizeof error;
    return getsockopt(socket_.get(), SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == 0;
  }
  void give_up() { socket_.close(); }

 private:
  std::string address_;
  Descriptor socket_;
};

bool of_one_link(const sockaddr& address) {
  if (address.sa_family != AF_INET6) return false;
  return IN6_IS_ADDR_LINKLOCAL(&reinterpret_cast<const sockaddr_in6&>(address).sin6_addr);
}

}  // namespace

std::vector<std::string> own_addresses() {
  ifaddrs* first = nullptr;
  if (getifaddrs(&first) != 0) return {};
  const std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> owner(first, freeifaddrs);
  std::vector<std::string> addresses;
  for (const ifaddrs* entry = first; entry != nullptr; entry = entry->ifa_next) {
    const sockaddr* address = entry->ifa_addr;
    if (address == nullptr || (entry->ifa_flags & IFF_UP) == 0) continue;
    if ((entry->ifa_flags & IFF_LOOPBACK) != 0 || of_one_link(*address)) continue;
    const bool ip4 = address->sa_family == AF_INET;
    if (!ip4 && address->sa_family != AF_INET6) continue;
    char text[NI_MAXHOST];
    const socklen_t size = ip4 ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
    if (getnameinfo(address, size, text, sizeof text, nullptr, 0, NI_NUMERICHOST) == 0) {
      addresses.emplace_back(text);
    }
  }
  return addresses;
}

std::optional<std::string> first_reachable(std::span<const std::string> addresses,
                                           const std::string& port, double seconds) {
  const double end = now() + seconds;
  std::vector<Attempt> attempts;
  for (const std::string& address : addresses) {
    attempts.emplace_back(address, port);
  }
  while (true) {
    std::erase_if(attempts, [](const Attempt& attempt) { return !attempt.open(); });
    const double left = end - now();
    if (attempts.empty() || left <= 0) return {};
    std::vector<pollfd> sockets;
    for (const Attempt& attempt : attempts) {
      sockets.push_back({.fd = attempt.socket_or_none(), .events = POLLOUT, .revents = 0});
    }
    poll(sockets.data(), sockets.size(), static_cast<int>(left * 1000) + 1);
    for (std::size_t i = 0; i < sockets.size(); ++i) {
      if (sockets[i].revents == 0) continue;
      if (attempts[i].succeeded()) return attempts[i].address();
      attempts[i].give_up();
    }
  }
}

}  // namespace lockstep::mpi
