#pragma once

#include "cli/command_line.h"

namespace lockstep::cli {

// What main() does, and returns, in a program that has these transports.
int program(char** argv, Transports transports);

}  // namespace lockstep::cli
