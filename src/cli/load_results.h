#pragma once

#include <string>
#include <string_view>

#include "result/directory.h"
#include "spec/flags.h"

namespace lockstep::cli {

// The results in a directory. What had to be left out is said on stderr.
result::ResultDirectory load_results(const std::string& directory);

// --min_effect, and its value: a share, "2%" or "0.02". Throws Error(usage) for anything else.
inline constexpr double kMinEffect = 0.02;
const spec::Flag& min_effect_flag();
double parse_min_effect(std::string_view text, std::string_view shown);

}  // namespace lockstep::cli
