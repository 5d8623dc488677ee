#include "launch/dialogue.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "base/clock.h"
#include "base/error.h"

namespace lockstep::launch {
namespace {

// The process with both of its streams on the socket; else an error number.
int spawn(const std::string& path, std::vector<std::string>& argv, int socket, pid_t& id) {
  std::vector<char*> words;
  for (std::string& word : argv) words.push_back(word.data());
  words.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, socket, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, socket, STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  const int error = posix_spawn(&id, path.c_str(), &actions, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

}  // namespace

Dialogue::Dialogue(std::vector<std::string> argv) {
  const std::string path = executable({.name = {}, .argv = argv});
  std::array<int, 2> ends = {};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    throw Error(ExitCode::environment,
                fmt::format("cannot make a pair of sockets: {}", std::strerror(errno)));
  }
  socket_ = Descriptor(ends[0]);
  const Descriptor theirs(ends[1]);
  if (const int error = spawn(path, argv, theirs.get(), id_); error != 0) {
    throw Error(ExitCode::launch, fmt::format("cannot execute {}: {}", path, std::strerror(error)));
  }
}

Dialogue::~Dialogue() {
  socket_.close();
  kill(id_, SIGKILL);  // its host sees the connection end
  while (waitpid(id_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

bool Dialogue::say(std::string line) {
  line += '\n';
  return send(socket_.get(), line.data(), line.size(), MSG_NOSIGNAL) >= 0;
}

std::optional<std::string> Dialogue::hear(double seconds) {
  const double deadline = now() + seconds;
  while (true) {
    if (const std::size_t end = said_.find('\n'); end != std::string::npos) {
      std::string line = said_.substr(0, end);
      said_.erase(0, end + 1);
      return line;
    }
    pollfd event = {socket_.get(), POLLIN, 0};
    const double left = deadline - now();
    if (left <= 0) return std::nullopt;
    if (poll(&event, 1, static_cast<int>(left * 1000) + 1) < 0 && errno != EINTR) {
      return std::nullopt;
    }
    if (event.revents == 0) continue;
    std::array<char, 4096> buffer;
    const ssize_t bytes = read(socket_.get(), buffer.data(), buffer.size());
    if (bytes <= 0) return std::nullopt;
    said_.append(buffer.data(), static_cast<std::size_t>(bytes));
  }
}

}  // namespace lockstep::launch
