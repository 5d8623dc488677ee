#include <string>
#include <vector>

#include "cli/command_line.h"
#include "machine/cores.h"

int main(int argc, char** argv) {
  const auto code = lockstep::cli::report_errors([&] {
    lockstep::machine::correct_openmp_environment(argv);
    return lockstep::cli::command_line(std::vector<std::string>(argv + 1, argv + argc));
  });
  return static_cast<int>(code);
}
