#pragma once

#include "machine/environment.h"

namespace lockstep::cli {

// Of this machine, with the libraries that the program computes with.
machine::Environment whole_environment();

}  // namespace lockstep::cli
