#pragma once

#include "cli/command_line.h"

namespace lockstep::cli {

ExitCode data_verb(Arguments arguments, Transports transports);

}  // namespace lockstep::cli
