#pragma once

#include <string>

#include "engine/engine.h"

namespace lockstep::cli {

// What a compiled network does in one step of training: every operation with the code that runs it,
// what it writes, and the memory that all of it takes. For `lockstep show MODEL --plan`.
std::string show_plan(const engine::PlanSummary& plan, bool json);

}  // namespace lockstep::cli
