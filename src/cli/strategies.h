#pragma once

#include <string>

namespace lockstep::cli {

// The strategies that --variable_update and --strategies choose from, with what each does.
std::string list_strategies();
std::string list_strategies_json();

}  // namespace lockstep::cli
