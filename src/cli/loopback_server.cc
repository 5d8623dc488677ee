#include "cli/loopback_server.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <list>
#include <thread>
#include <utility>
#include <vector>

#include "base/descriptor.h"
#include "base/error.h"
#include "base/text.h"

namespace lockstep::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kAddress = "127.0.0.1";
constexpr std::size_t kMostClients = 256;
constexpr std::size_t kLongestRequest = 16 << 10;
constexpr std::chrono::seconds kPatience(2);  // for a request, and again for taking the answer

// Nothing on the page comes from anywhere else, and nothing of it is kept.
constexpr std::string_view kHeaders =
    "Content-Security-Policy: default-src 'self'; frame-ancestors 'none'; base-uri 'none'\r\n"
    "X-Content-Type-Options: nosniff\r\n"
    "Referrer-Policy: no-referrer\r\n"
    "Cache-Control: no-store\r\n"
    "Connection: close\r\n";

struct Status {
  int number;
  const char* name;
};

std::string answer(Status status, const report::WebFile& file, bool with_content = true) {
  return fmt::format("HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\n{}\r\n{}",
                     status.number, status.name, file.type, file.content.size(), kHeaders,
                     with_content ? file.content : "");
}

std::string refusal(Status status, std::string_view why) {
  return answer(status, {"text/plain", fmt::format("{}\n", why)});
}

// Of a request all that matters; nothing: it is none.
struct Request {
  std::string method, path, host;
};

std::optional<Request> parse_request(std::string_view head) {
  const std::vector<std::string> lines = split(head, '\n');
  const std::vector<std::string> words = split(trim(lines.front()), ' ');
  if (words.size() != 3 || !words[2].starts_with("HTTP/1.")) return std::nullopt;
  Request request{.method = words[0], .path = words[1].substr(0, words[1].find('?')), .host = {}};
  bool named = false;
  for (const std::string& line : std::span(lines).subspan(1)) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos || lower(line.substr(0, colon)) != "host") continue;
    if (std::exchange(named, true)) return std::nullopt;  // two names are one too many
    request.host = trim(std::string_view(line).substr(colon + 1));
  }
  return request;
}

// A connection: first its request comes, then the answer goes, then the other side closes it.
struct Client {
  Descriptor socket;
  Clock::time_point deadline = Clock::now() + kPatience;
  std::string request = {};
  std::string answer = {};
  std::size_t sent = 0;

  explicit Client(int accepted) : socket(accepted) {}

  bool has_to_send() const { return sent < answer.size(); }
};

}  // namespace

// One thread serves all connections, and waits for none of them: who is slow or silent holds up
// nobody, is cut off after a while, and makes room when there are too many.
struct LoopbackServer::Running {
  FindFile find;
  Descriptor listener;
  Descriptor stop;  // readable: it is over
  int port = 0;
  std::list<Client> clients = {};  // the oldest first
  std::jthread thread = {};

  ~Running() {
    if (!thread.joinable()) return;
    eventfd_write(stop.get(), 1);
    thread.join();
  }

  void listen_on(int wanted) {
    stop = Descriptor(eventfd(0, EFD_CLOEXEC));
    listener = Descriptor(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    const int yes = 1;
    setsockopt(listener.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(wanted));
    inet_pton(AF_INET, kAddress, &address.sin_addr);
    socklen_t length = sizeof address;
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    if (!stop || bind(listener.get(), generic, length) != 0 ||
        listen(listener.get(), SOMAXCONN) != 0 ||
        getsockname(listener.get(), generic, &length) != 0) {
      throw Error(ExitCode::environment,
                  fmt::format("cannot listen on {}:{}: {}", kAddress, wanted, std::strerror(errno)),
                  "without --port, any free one is taken");
    }
    port = ntohs(address.sin_port);
  }

  std::string answer_to(const std::string& head) const {
    const auto request = parse_request(head);
    if (!request) return refusal({400, "Bad Request"}, "this is not a request");
    const bool ours = request->host == fmt::format("{}:{}", kAddress, port) ||
                      request->host == fmt::format("localhost:{}", port);
    if (!ours) return refusal({403, "Forbidden"}, "this is for browsers on the same machine");
    if (request->method != "GET" && request->method != "HEAD") {
      return refusal({405, "Method Not Allowed"}, "read-only: use GET");
    }
    const auto file = find(request->path);
    if (!file) return refusal({404, "Not Found"}, "there is no such page");
    return answer({200, "OK"}, *file, request->method == "GET");
  }

  void accept_all() {
    while (true) {
      const int accepted = accept4(listener.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
      const bool full = accepted >= 0 ? clients.size() >= kMostClients : errno == EMFILE;
      if (full && !clients.empty()) clients.pop_front();
      if (accepted < 0) return;
      clients.emplace_back(accepted);
    }
  }

  // Whether it stays.
  bool take(Client& client) const {
    char bytes[4096];
    const ssize_t got = recv(client.socket.get(), bytes, sizeof bytes, 0);
    if (got < 0) return errno == EAGAIN || errno == EINTR;
    if (got == 0) return false;
    if (!client.answer.empty()) return true;  // whatever it still has to say
    client.request.append(bytes, static_cast<std::size_t>(got));
    if (const auto end = client.request.find("\r\n\r\n"); end != std::string::npos) {
      client.answer = answer_to(client.request.substr(0, end));
    } else if (client.request.size() > kLongestRequest) {
      client.answer = refusal({431, "Request Header Fields Too Large"}, "this is too long");
    }
    if (!client.answer.empty()) client.deadline = Clock::now() + kPatience;
    return true;
  }

  static bool give(Client& client) {
    const std::string_view rest = std::string_view(client.answer).substr(client.sent);
    const ssize_t put = send(client.socket.get(), rest.data(), rest.size(), MSG_NOSIGNAL);
    if (put < 0) return errno == EAGAIN || errno == EINTR;
    client.sent += static_cast<std::size_t>(put);
    if (!client.has_to_send()) shutdown(client.socket.get(), SHUT_WR);
    return true;
  }

  // In milliseconds, until the next one has to be cut off; -1: there is none.
  int patience() const {
    if (clients.empty()) return -1;
    const auto next = std::ranges::min_element(clients, {}, &Client::deadline)->deadline;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(next - Clock::now());
    return static_cast<int>(std::max<std::int64_t>(left.count(), 0));
  }

  void serve() {
    while (true) {
      std::vector<pollfd> ready = {{stop.get(), POLLIN, 0}, {listener.get(), POLLIN, 0}};
      for (const Client& client : clients) {
        ready.push_back(
            {client.socket.get(), static_cast<short>(client.has_to_send() ? POLLOUT : POLLIN), 0});
      }
      poll(ready.data(), ready.size(), patience());
      if (ready[0].revents != 0) return;
      std::size_t at = 2;
      for (auto client = clients.begin(); client != clients.end(); ++at) {
        bool stays = client->deadline > Clock::now();
        if (stays && ready[at].revents != 0) {
          stays = client->has_to_send() ? give(*client) : take(*client);
        }
        client = stays ? std::next(client) : clients.erase(client);
      }
      if (ready[1].revents != 0) accept_all();
    }
  }
};

LoopbackServer::LoopbackServer(int port, FindFile find) : running_(std::make_unique<Running>()) {
  running_->find = std::move(find);
  running_->listen_on(port);
  running_->thread = std::jthread([running = running_.get()] { running->serve(); });
}

LoopbackServer::~LoopbackServer() = default;

std::string LoopbackServer::url() const {
  return fmt::format("http://{}:{}/", kAddress, running_->port);
}

}  // namespace lockstep::cli
