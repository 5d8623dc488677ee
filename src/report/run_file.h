#pragma once

#include <filesystem>
#include <string_view>
#include <variant>

#include "spec/sweep.h"
#include "stats/result.h"
#include "stats/sweep.h"

namespace lockstep::report {

// What a run.json says of its run: numbers or an error.
using RunFile = std::variant<stats::Launch, stats::Failure>;

// Not beyond all that computers do: quotients of speeds are numbers.
bool is_speed(double images_per_second);

// Throws Error(usage) for a text that is no whole run.json of a version that we read.
RunFile read_run_json(std::string_view text);

// The numbers in DIRECTORY/run.json. Throws Error(usage) where there are none: the run failed, or
// the file is no whole one of a version that we read.
stats::Launch read_launch(const std::filesystem::path& directory);

// The sweep that consists of nothing but the run of this run.json. Throws Error(usage) as above.
spec::Sweep sweep_of_run(std::string_view text);

}  // namespace lockstep::report
