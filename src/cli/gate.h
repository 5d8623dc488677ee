#pragma once

#include "cli/command_line.h"

namespace lockstep::cli {

ExitCode gate(Arguments arguments, Transports transports);

}  // namespace lockstep::cli
