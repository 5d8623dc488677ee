#pragma once

#include <filesystem>
#include <string_view>
#include <variant>

#include "result/result.h"
#include "spec/sweep.h"
#include "stats/sweep.h"

namespace lockstep::result {

// What a run.json says of its run: numbers or an error.
using RunFile = std::variant<stats::Launch, Failure>;

// Not beyond all that computers do: quotients of speeds are numbers.
bool is_speed(double images_per_second);

// Throws Error(usage) for a text that is not a whole run.json of a version that we read, or has
// numbers that cannot be; and where it is not a launch of `point`. Null: of any.
RunFile read_run_json(std::string_view text, const spec::Point* point = nullptr);

// The numbers in DIRECTORY/run.json, a launch of this point. Throws Error(usage) where there are
// none: the run failed, or as above.
stats::Launch read_launch(const std::filesystem::path& directory, const spec::Point& point);

// The sweep that consists of nothing but the run of this run.json. Throws Error(usage) as above.
spec::Sweep sweep_of_run(std::string_view text);

}  // namespace lockstep::result
