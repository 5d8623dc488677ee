#include "cli/mpi_program.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/error.h"

namespace lockstep::cli {

void become_mpi_program(const std::filesystem::path& program, char** argv) {
  const std::filesystem::path beside = program.parent_path() / "lockstep-mpi";
  std::fflush(nullptr);  // what is buffered would be lost
  execv(beside.c_str(), argv);
  throw Error(ExitCode::environment,
              fmt::format("cannot execute {}, the program for MPI: {}", beside.string(),
                          std::strerror(errno)),
              "build it beside lockstep, or choose another transport with --transport");
}

std::filesystem::path this_program() {
  std::error_code error;
  std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) {
    throw Error(ExitCode::environment,
                fmt::format("cannot find the program itself: {}", error.message()));
  }
  return program;
}

}  // namespace lockstep::cli
