#include "cli/loopback_server.h"

#include <fmt/format.h>
#include <httplib.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <thread>
#include <utility>

#include "base/error.h"

namespace lockstep::cli {
namespace {

constexpr const char* kAddress = "127.0.0.1";

// Nothing on the page comes from anywhere else, and nothing of it is kept.
const httplib::Headers kHeaders = {
    {"Content-Security-Policy", "default-src 'self'; frame-ancestors 'none'; base-uri 'none'"},
    {"X-Content-Type-Options", "nosniff"},
    {"Referrer-Policy", "no-referrer"},
    {"Cache-Control", "no-store"}};

void refuse(httplib::Response& response, int status, const char* why) {
  response.status = status;
  response.set_content(fmt::format("{}\n", why), "text/plain");
}

}  // namespace

struct LoopbackServer::Running {
  httplib::Server server;
  int port = 0;
  std::atomic<bool> ended = false;
  std::jthread thread;
};

LoopbackServer::LoopbackServer(int port, FindFile find) : running_(std::make_unique<Running>()) {
  httplib::Server& server = running_->server;
  // The library's own choice shares a port with whoever has it already.
  server.set_socket_options([](int socket) {
    const int yes = 1;
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  });
  errno = 0;
  running_->port = port == 0                             ? server.bind_to_any_port(kAddress)
                   : server.bind_to_port(kAddress, port) ? port
                                                         : -1;
  if (running_->port <= 0) {
    throw Error(ExitCode::environment,
                fmt::format("cannot listen on {}:{}: {}", kAddress, port,
                            errno == 0 ? "unknown reason" : std::strerror(errno)),
                "without --port, any free one is taken");
  }
  // A browser keeps connections open; nobody waits for them at the end.
  server.set_keep_alive_max_count(1);
  server.set_keep_alive_timeout(1);
  server.set_read_timeout(1);
  server.set_write_timeout(1);
  server.set_payload_max_length(0);
  server.set_default_headers(kHeaders);
  server.new_task_queue = [] { return new httplib::ThreadPool(2); };
  const std::string by_number = fmt::format("{}:{}", kAddress, running_->port);
  const std::string by_name = fmt::format("localhost:{}", running_->port);
  // Before any of the library's own ways to find something.
  server.set_pre_routing_handler(
      [=, find = std::move(find)](const httplib::Request& request, httplib::Response& response) {
        const std::string host = request.get_header_value("Host");
        if (host != by_number && host != by_name) {
          refuse(response, 403, "this is for browsers on the same machine");
        } else if (request.method != "GET" && request.method != "HEAD") {
          refuse(response, 405, "there is nothing to do here but to look");
        } else if (const auto file = find(request.path)) {
          response.set_content(file->content, file->type);
        } else {
          refuse(response, 404, "there is no such page");
        }
        return httplib::Server::HandlerResponse::Handled;
      });
  server.set_exception_handler([](const httplib::Request&, httplib::Response& response,
                                  const std::exception_ptr&) { refuse(response, 500, "failed"); });
  running_->thread = std::jthread([running = running_.get()] {
    running->server.listen_after_bind();
    running->ended = true;
  });
}

LoopbackServer::~LoopbackServer() {
  // It must listen before it can be told to stop.
  while (!running_->server.is_running() && !running_->ended) std::this_thread::yield();
  running_->server.stop();
}

std::string LoopbackServer::url() const {
  return fmt::format("http://{}:{}/", kAddress, running_->port);
}

}  // namespace lockstep::cli
