#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace lockstep::machine {

// The environment ("NAME=value" each) that several teams in one process need; nothing when this
// one will do.
std::optional<std::vector<std::string>> corrected_environment(
    std::span<const std::string> environment);

}  // namespace lockstep::machine
