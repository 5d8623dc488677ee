#include "cli/program.h"

#include <string>
#include <vector>

#include "base/streams.h"
#include "machine/cores.h"

namespace lockstep::cli {

int program(char** argv, Transports transports) {
  guard_standard_streams();
  const ExitCode code = report_errors([&] {
    machine::correct_openmp_environment(argv);
    std::vector<std::string> arguments;
    for (char** argument = argv + 1; *argument != nullptr; ++argument) {
      arguments.emplace_back(*argument);
    }
    return command_line(arguments, transports);
  });
  return static_cast<int>(code);
}

}  // namespace lockstep::cli
