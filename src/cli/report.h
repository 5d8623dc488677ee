#pragma once

#include <string>

#include "cli/command_line.h"

namespace lockstep::cli {

// `lockstep report`: draws figures, tables and a page from results alone.
ExitCode report(Arguments arguments, Transports transports);

std::string report_help(bool full);

}  // namespace lockstep::cli
