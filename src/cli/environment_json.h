#pragma once

#include <nlohmann/json.hpp>

#include "machine/environment.h"

namespace lockstep::cli {

// The machine as results carry it: every field by its own name, what is not known left out.
nlohmann::ordered_json environment_json(const machine::Environment& environment);

}  // namespace lockstep::cli
