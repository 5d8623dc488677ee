#include "base/files.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include "base/error.h"

namespace lockstep {
namespace {

[[noreturn]] void fail(const char* verb, const std::filesystem::path& path, ExitCode code) {
  throw Error(code, fmt::format("cannot {} {}: {}", verb, path.string(), std::strerror(errno)));
}

// The half-written file goes, the reason in errno stays.
[[noreturn]] void abandon(const std::filesystem::path& temporary,
                          const std::filesystem::path& path) {
  const int reason = errno;
  unlink(temporary.c_str());
  errno = reason;
  fail("write", path, ExitCode::environment);
}

// Closes on every path out.
struct File {
  int fd;
  ~File() {
    if (fd >= 0) close(fd);
  }
};

}  // namespace

bool is_there(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::exists(path, error);
}

std::string read_file(const std::filesystem::path& path) {
  const File file{open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (file.fd < 0) fail("read", path, ExitCode::usage);
  std::string content;
  char chunk[1 << 16];
  while (true) {
    const ssize_t got = read(file.fd, chunk, sizeof chunk);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail("read", path, ExitCode::usage);
    if (got == 0) return content;
    content.append(chunk, static_cast<std::size_t>(got));
  }
}

void write_file(const std::filesystem::path& path, std::string_view content) {
  std::filesystem::path temporary = path;
  temporary += fmt::format(".{}.tmp", getpid());
  {
    const File file{open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644)};
    if (file.fd < 0) fail("write", path, ExitCode::environment);
    while (!content.empty()) {
      const ssize_t put = write(file.fd, content.data(), content.size());
      if (put < 0 && errno == EINTR) continue;
      if (put < 0) abandon(temporary, path);
      content.remove_prefix(static_cast<std::size_t>(put));
    }
  }
  if (std::rename(temporary.c_str(), path.c_str()) != 0) abandon(temporary, path);
}

void make_directory(const std::filesystem::path& path, std::string_view hint) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (!error) return;
  throw Error(ExitCode::environment,
              fmt::format("cannot make the directory {}: {}", path.string(), error.message()),
              std::string(hint));
}

}  // namespace lockstep
