#pragma once

#include "cli/command_line.h"

namespace lockstep::cli {

// lockstep comm: the collectives alone, by the flags of cli/comm_options.h.
ExitCode comm(Arguments arguments, Transports transports);

}  // namespace lockstep::cli
