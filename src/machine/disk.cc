#include "machine/disk.h"

#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/descriptor.h"

namespace lockstep::machine {
namespace {

namespace fs = std::filesystem;

fs::path nearest(fs::path path) {
  std::error_code unseen;  // what cannot be looked at is as good as not there
  while (path.has_relative_path() && !fs::exists(path, unseen)) path = path.parent_path();
  return path;
}

// Permissions alone do not tell: a file system may be read-only, or have no files left.
std::string refusal(const fs::path& directory) {
  std::string name = (directory / ".lockstep-XXXXXX").string();
  const Descriptor file(mkstemp(name.data()));
  if (!file) return std::strerror(errno);
  unlink(name.c_str());
  return {};
}

}  // namespace

Disk disk(const fs::path& directory) {
  Disk disk{.directory = nearest(fs::absolute(directory).lexically_normal())};
  disk.refusal = refusal(disk.directory);
  struct statvfs space = {};
  if (statvfs(disk.directory.c_str(), &space) == 0) {
    disk.free_bytes = static_cast<std::int64_t>(space.f_bavail * space.f_frsize);
  }
  return disk;
}

}  // namespace lockstep::machine
