#pragma once

#include <filesystem>
#include <string_view>

namespace lockstep {

// A new directory below $TMPDIR or /tmp, gone with this object.
class TemporaryDirectory {
 public:
  // Its name begins with `name`. Throws Error(environment) where it cannot be made.
  explicit TemporaryDirectory(std::string_view name = "lockstep");
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace lockstep
