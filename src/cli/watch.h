#pragma once

#include <string>

#include "cli/command_line.h"

namespace lockstep::cli {

ExitCode watch(Arguments arguments, Transports transports);
std::string watch_help(bool full);

}  // namespace lockstep::cli
