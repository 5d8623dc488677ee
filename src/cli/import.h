#pragma once

#include "cli/command_line.h"

namespace lockstep::cli {

ExitCode import_results(Arguments arguments, Transports transports);

}  // namespace lockstep::cli
