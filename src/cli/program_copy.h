#pragma once

#include <filesystem>

namespace lockstep::cli {

// A copy of this program for as long as a sweep lasts: one that is built anew meanwhile can neither
// end the sweep nor be measured in the rest of it. With it goes what lies beside the program and
// belongs to it, the program for MPI and libraries.
class ProgramCopy {
 public:
  // The copy is in the directory, for other hosts that share it; where there is no room for it, or
  // programs may not be executed there, the program itself is used, and a note says so.
  explicit ProgramCopy(const std::filesystem::path& directory);
  ~ProgramCopy();
  ProgramCopy(const ProgramCopy&) = delete;
  ProgramCopy& operator=(const ProgramCopy&) = delete;

  const std::filesystem::path& program() const { return program_; }

 private:
  std::filesystem::path directory_;
  std::filesystem::path program_;
};

}  // namespace lockstep::cli
