#pragma once

#include "cli/command_line.h"

namespace lockstep::cli {

ExitCode doctor(Arguments arguments, Transports transports);

}  // namespace lockstep::cli
