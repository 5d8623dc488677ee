#include "base/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <iterator>
#include <span>
#include <system_error>

#include "base/descriptor.h"
#include "base/error.h"
#include "base/text.h"

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

struct RegularFile {
  // To open a pipe that nobody writes to would wait for somebody who does, unless asked not to.
  explicit RegularFile(const std::filesystem::path& path)
      : file(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)) {
    struct stat status {};
    if (!file || fstat(file.get(), &status) != 0) fail("read", path, ExitCode::usage);
    size = status.st_size;
    if (S_ISREG(status.st_mode)) return;
    if (S_ISDIR(status.st_mode)) {
      errno = EISDIR;
      fail("read", path, ExitCode::usage);
    }
    throw Error(ExitCode::usage, fmt::format("cannot read {}: not a regular file", path.string()));
  }

  Descriptor file;
  std::int64_t size = 0;
};

Error too_large(const std::filesystem::path& path, std::int64_t bytes, std::int64_t most) {
  return Error(ExitCode::usage,
               fmt::format("cannot read {}: it has {} or more, and such files have at most {}",
                           path.string(), human_bytes(static_cast<double>(bytes)),
                           human_bytes(static_cast<double>(most))));
}

// How many bytes were read; 0 at the end of the file.
std::size_t read_at(const Descriptor& file, const std::filesystem::path& path, std::int64_t offset,
                    std::span<char> into) {
  while (true) {
    const ssize_t got = pread(file.get(), into.data(), into.size(), offset);
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) fail("read", path, ExitCode::usage);
  }
}

}  // namespace

bool is_there(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::exists(path, error);
}

std::string read_file(const std::filesystem::path& path, std::int64_t most) {
  const RegularFile regular(path);
  if (regular.size > most) throw too_large(path, regular.size, most);
  std::string content;
  char chunk[1 << 16];
  while (const std::size_t got = read_at(regular.file, path, std::ssize(content), chunk)) {
    content.append(chunk, got);
    // One that grows meanwhile, or whose size the kernel does not say.
    if (std::ssize(content) > most) throw too_large(path, std::ssize(content), most);
  }
  return content;
}

std::string read_part(const std::filesystem::path& path, std::int64_t begin, std::size_t length) {
  const RegularFile regular(path);
  std::string content(length, '\0');
  std::size_t filled = 0;
  while (const std::size_t got =
             read_at(regular.file, path, begin + static_cast<std::int64_t>(filled),
                     std::span(content).subspan(filled))) {
    filled += got;
  }
  content.resize(filled);
  return content;
}

void write_file(const std::filesystem::path& path, std::string_view content) {
  std::filesystem::path temporary = path;
  temporary += fmt::format(".{}.tmp", getpid());
  {
    const Descriptor file(open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
    if (!file) fail("write", path, ExitCode::environment);
    while (!content.empty()) {
      const ssize_t put = write(file.get(), content.data(), content.size());
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
