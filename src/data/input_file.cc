#include "data/input_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/check.h"
#include "base/error.h"

namespace lockstep::data {
namespace {

constexpr std::uint64_t kLeastRead = std::uint64_t{1} << 19;

[[noreturn]] void fail(const std::filesystem::path& path, const char* reason) {
  throw Error(ExitCode::usage, fmt::format("cannot read {}: {}", path.string(), reason));
}

}  // namespace

InputFile::InputFile(const std::filesystem::path& path)
    : path_(path), file_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
  struct stat status {};
  if (!file_ || fstat(file_.get(), &status) != 0) fail(path, std::strerror(errno));
  size_ = static_cast<std::uint64_t>(status.st_size);
}

void InputFile::read(std::uint64_t offset, std::span<std::uint8_t> to) const {
  while (!to.empty()) {
    const ssize_t got = pread(file_.get(), to.data(), to.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(path_, std::strerror(errno));
    if (got == 0) fail(path_, "it has become shorter");
    to = to.subspan(static_cast<std::size_t>(got));
    offset += static_cast<std::uint64_t>(got);
  }
}

Bytes ForwardReader::read(std::uint64_t offset, std::uint64_t length) {
  LOCKSTEP_CHECK(length <= file_.size() && offset <= file_.size() - length);
  if (offset < begin_ || offset + length > end_) {
    const std::uint64_t wanted = std::min(std::max(length, kLeastRead), file_.size() - offset);
    if (buffer_.size() < wanted) buffer_.resize(wanted);
    file_.read(offset, std::span(buffer_).first(wanted));
    begin_ = offset;
    end_ = offset + wanted;
  }
  return Bytes(buffer_).subspan(offset - begin_, length);
}

}  // namespace lockstep::data
