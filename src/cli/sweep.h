#pragma once

#include "cli/command_line.h"

namespace lockstep::cli {

ExitCode sweep(Arguments arguments, Transports transports);
std::string sweep_help(bool full);

}  // namespace lockstep::cli
