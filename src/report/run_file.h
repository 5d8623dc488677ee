#pragma once

#include <string_view>
#include <variant>

#include "stats/result.h"
#include "stats/sweep.h"

namespace lockstep::report {

// What a run.json says of its run: numbers or an error.
using RunFile = std::variant<stats::Launch, stats::Failure>;

// Throws Error(usage) for a text that is no whole run.json of a version that we read.
RunFile read_run_json(std::string_view text);

}  // namespace lockstep::report
