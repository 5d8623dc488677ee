#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "base/temporary_directory.h"

namespace lockstep::machine {

// For tests: a directory in place of /, with the files of /proc and /sys that a test puts there.
class FakeRoot {
 public:
  FakeRoot& put(const std::string& file, const std::string& content) {
    const std::filesystem::path target = path() / file;
    std::filesystem::create_directories(target.parent_path());
    std::ofstream(target) << content << '\n';
    return *this;
  }
  const std::filesystem::path& path() const { return directory_.path(); }

 private:
  TemporaryDirectory directory_;
};

}  // namespace lockstep::machine
