#pragma once

#include "cli/command_line.h"

namespace lockstep::cli {

// lockstep run: the flags of spec/flags.h.
ExitCode run(Arguments arguments, Transports transports);

}  // namespace lockstep::cli
