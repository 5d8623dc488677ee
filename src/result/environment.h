#pragma once

#include <nlohmann/json_fwd.hpp>

#include "machine/environment.h"

namespace lockstep::result {

// The machine as files carry it: every field by its own name, what is not known left out.
nlohmann::ordered_json to_json(const machine::Environment& environment);

// The reverse: an absent key is not known. Throws Error(usage) for a value of another type.
machine::Environment environment_from_json(const nlohmann::json& object);

// "host07, AMD EPYC, 64 cores": as much of it as is known.
std::string in_one_line(const machine::Environment& environment);

}  // namespace lockstep::result
