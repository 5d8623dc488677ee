#include "comm/tcp/socket.h"

#include <fcntl.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <asio/connect.hpp>
#include <asio/ip/udp.hpp>
#include <asio/ip/v6_only.hpp>
#include <asio/steady_timer.hpp>
#include <asio/this_coro.hpp>
#include <asio/use_awaitable.hpp>
#include <cerrno>
#include <chrono>
#include <memory>
#include <utility>

#include "base/error.h"
#include "comm/tcp/address.h"

namespace lockstep::comm::tcp {
namespace {

// Longer would be in vain: who dials tries again. A connection request to a host that is not there
// yet is repeated by the kernel at ever longer intervals.
constexpr std::chrono::seconds kDialTime{3};

// Seconds between two questions of the kernel's whether the peer is there. A silence is noticed so
// much late at worst.
constexpr int kRarestQuestion = 3;

void close_on_exec(int socket) {
  fcntl(socket, F_SETFD, FD_CLOEXEC);  // a child must not keep the connection of a lost rank open
}

asio::ip::address plain(const asio::ip::address& address) {
  if (!address.is_v6() || !address.to_v6().is_v4_mapped()) return address;
  return asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6());
}

Acceptor listen_on(asio::io_context& io, const asio::ip::tcp::endpoint& endpoint) {
  Acceptor acceptor(io);
  acceptor.open(endpoint.protocol());
  close_on_exec(acceptor.native_handle());
  acceptor.set_option(Acceptor::reuse_address(true));
  if (endpoint.address().is_v6() && endpoint.address().is_unspecified()) {
    acceptor.set_option(asio::ip::v6_only(false));
  }
  acceptor.bind(endpoint);
  acceptor.listen();
  return acceptor;
}

Acceptor listen_everywhere(asio::io_context& io, asio::ip::port_type port) {
  try {
    return listen_on(io, {asio::ip::tcp::v6(), port});
  } catch (const std::system_error& error) {
    if (error.code() != asio::error::address_family_not_supported) throw;
    return listen_on(io, {asio::ip::tcp::v4(), port});
  }
}

// A name is listened on where it leads to, with two exceptions. Debian lets a host know its own
// name as 127.0.1.1, while all others know another address; and a name may lead to an address that
// somebody else translates to this host's.
Acceptor listen_at(asio::io_context& io, const Address& address) {
  const auto port = static_cast<asio::ip::port_type>(std::stoi(address.port));
  if (address.host.empty()) return listen_everywhere(io, port);
  asio::error_code name;
  const auto literal = asio::ip::make_address(address.host, name);
  if (!name) return listen_on(io, {literal, port});
  asio::error_code unknown;
  for (const auto& entry : asio::ip::tcp::resolver(io).resolve(address.host, {}, unknown)) {
    const asio::ip::address found = entry.endpoint().address();
    if (found.is_loopback() && !is_loopback(address.host)) continue;
    try {
      return listen_on(io, {found, port});
    } catch (const std::system_error& error) {
      if (error.code().value() != EADDRNOTAVAIL) throw;
    }
  }
  return listen_everywhere(io, port);
}

// The address that is listened on; empty: all of them.
std::string host_of(const Acceptor& acceptor) {
  const auto address = acceptor.local_endpoint().address();
  return address.is_unspecified() ? "" : address.to_string();
}

}  // namespace

asio::awaitable<Socket> dial(const std::string& address) {
  const auto executor = co_await asio::this_coro::executor;
  const Address parsed = parse_address(address);
  asio::ip::tcp::resolver resolver(executor);
  const auto endpoints =
      co_await resolver.async_resolve(parsed.host, parsed.port, asio::use_awaitable);
  const auto socket = std::make_shared<Socket>(executor);
  asio::steady_timer patience(executor, kDialTime);
  // Its turn may come when the connection has just been made and handed on.
  patience.async_wait([attempt = std::weak_ptr(socket)](asio::error_code cancelled) {
    if (const auto late = attempt.lock(); late && !cancelled) late->close();
  });
  co_await asio::async_connect(*socket, endpoints, asio::use_awaitable);
  patience.cancel();
  prepare(*socket);
  co_return std::move(*socket);
}

// Sizes of buffers are left to the kernel: it grows them with the line, beyond what a process may
// ask for on most machines.
void prepare(Socket& socket) {
  close_on_exec(socket.native_handle());
  socket.set_option(asio::ip::tcp::no_delay(true));
}

Acceptor open_listener(asio::io_context& io, Listener listener) {
  const int socket = listener.release();
  asio::ip::tcp::endpoint local;
  auto length = static_cast<socklen_t>(local.capacity());
  getsockname(socket, local.data(), &length);
  return {io, local.protocol(), socket};
}

Socket move_to(asio::io_context& io, Socket& socket) {
  const auto protocol = socket.local_endpoint().protocol();
  return {io, protocol, socket.release()};
}

void give_up_after(Socket& socket, double seconds) {
  const auto set = [&](int option, int value) {
    setsockopt(socket.native_handle(), IPPROTO_TCP, option, &value, sizeof value);
  };
  set(TCP_USER_TIMEOUT, static_cast<int>(seconds * 1000));
  // Where nothing is sent, the kernel asks; it counts in whole seconds.
  const int between_questions = std::clamp(static_cast<int>(seconds / 10), 1, kRarestQuestion);
  set(TCP_KEEPIDLE, between_questions);
  set(TCP_KEEPINTVL, between_questions);
  socket.set_option(asio::socket_base::keep_alive(true));
}

std::string remote_host(const Socket& socket) {
  return plain(socket.remote_endpoint().address()).to_string();
}

// The kernel looks for a route when a datagram gets its destination; nothing is sent.
std::string source_towards(const std::string& address) {
  const Address parsed = parse_address(address);
  asio::io_context io;
  asio::error_code unknown;
  const auto found = asio::ip::udp::resolver(io).resolve(parsed.host, parsed.port, unknown);
  if (unknown || found.empty()) return {};
  asio::ip::udp::socket probe(io);
  asio::error_code no_route;
  probe.connect(found.begin()->endpoint(), no_route);
  if (no_route) return {};
  return plain(probe.local_endpoint(no_route).address()).to_string();
}

}  // namespace lockstep::comm::tcp

namespace lockstep::comm {

Listener::Listener(const std::string& address) {
  try {
    open(tcp::parse_address(address));
  } catch (const std::system_error& error) {
    throw Error(ExitCode::launch,
                fmt::format("cannot listen on {}: {}", address, error.code().message()),
                "another rank or program has this port, or the address is another host's");
  }
}

Listener::Listener(const std::string& host, const PortRange& ports, int preferred) {
  for (int tried = 0; tried < ports.count; ++tried) {
    const int port = ports.first + (preferred + tried) % ports.count;
    try {
      open({host, std::to_string(port)});
      return;
    } catch (const std::system_error& error) {
      if (error.code().value() == EADDRINUSE) continue;
      throw Error(ExitCode::launch,
                  fmt::format("cannot listen on port {}: {}", port, error.code().message()),
                  "ranks listen on ports from --port on, or from that of the first host");
    }
  }
  throw Error(ExitCode::launch,
              fmt::format("all ports from {} to {} of this host are in use", ports.first,
                          ports.first + ports.count - 1),
              "choose others with --port, or with the port of the first host");
}

void Listener::open(const tcp::Address& address) {
  asio::io_context io;
  tcp::Acceptor acceptor = tcp::listen_at(io, address);
  port_ = acceptor.local_endpoint().port();
  host_ = tcp::host_of(acceptor);
  socket_ = Descriptor(acceptor.release());
}

}  // namespace lockstep::comm
