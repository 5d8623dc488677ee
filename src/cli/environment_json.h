#pragma once

#include <nlohmann/json.hpp>

#include "machine/environment.h"

namespace lockstep::cli {

// Of this machine, with the libraries that the program computes with.
machine::Environment whole_environment();

// The machine as results carry it: every field by its own name, what is not known left out.
nlohmann::ordered_json environment_json(const machine::Environment& environment);

}  // namespace lockstep::cli
