#include "base/streams.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>

namespace lockstep {
namespace {

std::atomic<int> g_output_error = 0;

void remember_output_error() {
  int none = 0;
  g_output_error.compare_exchange_strong(none, errno == 0 ? EIO : errno);
}

}  // namespace

void guard_standard_streams() {
  std::signal(SIGPIPE, SIG_IGN);
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(fd, F_GETFD) != -1) continue;
    // The lowest number that is free is this one, as those below it are taken. Read-only, so that
    // writing fails as it did before; nobody looks whether a message could be written.
    [[maybe_unused]] const int taken = open("/dev/null", O_RDONLY);
  }
}

void write_message(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

void write_output(std::string_view text) {
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), stdout) < text.size()) remember_output_error();
}

void flush_output() {
  errno = 0;
  if (std::fflush(stdout) != 0) remember_output_error();
}

int output_error() {
  return g_output_error;
}

int take_output_error() {
  std::clearerr(stdout);
  return g_output_error.exchange(0);
}

}  // namespace lockstep
