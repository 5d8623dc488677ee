#pragma once

#include <nlohmann/json_fwd.hpp>

#include "spec/sweep.h"

namespace lockstep::result {

// What is wrong with a run.json that has all its keys. Both throw Error(usage).

// Times, counts and speeds are at least 0, and not beyond all bounds: names the first that is not.
void check_amounts(const nlohmann::json& run);

// That it is a launch of this point and not of another one. What the file does not say (an imported
// log need not) is not held against it.
void check_identity(const nlohmann::json& run, const spec::Point& point);

}  // namespace lockstep::result
