#include "base/temporary_directory.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <system_error>

#include "base/error.h"

namespace lockstep {

TemporaryDirectory::TemporaryDirectory(std::string_view name) {
  std::string pattern =
      (std::filesystem::temp_directory_path() / fmt::format("{}-XXXXXX", name)).string();
  if (mkdtemp(pattern.data()) == nullptr) {
    throw Error(ExitCode::environment,
                fmt::format("cannot make the directory {}: {}", pattern, std::strerror(errno)));
  }
  path_ = pattern;
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace lockstep
