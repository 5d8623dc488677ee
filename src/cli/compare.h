#pragma once

#include <string>

#include "cli/command_line.h"

namespace lockstep::cli {

ExitCode compare(Arguments arguments, Transports transports);

std::string compare_help(bool full);

}  // namespace lockstep::cli
