#include <string>
#include <vector>

#include "cli/command_line.h"
#include "machine/cores.h"

int main(int argc, char** argv) {
  lockstep::machine::correct_openmp_environment(argv);
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  return static_cast<int>(lockstep::cli::command_line(arguments));
}
