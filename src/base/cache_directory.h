#pragma once

#include <filesystem>

#include "base/getenv.h"

namespace lockstep {

// What is kept from run to run: $XDG_CACHE_HOME/lockstep or $HOME/.cache/lockstep; empty where the
// environment has neither.
std::filesystem::path cache_directory(const Getenv& getenv);

}  // namespace lockstep
