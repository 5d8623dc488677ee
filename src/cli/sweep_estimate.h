#pragma once

#include <filesystem>
#include <string>

#include "cli/sweep_site.h"
#include "spec/sweep.h"

namespace lockstep::cli {

// How long the launches that the directory does not have yet would take, about, and what that
// follows from: speeds that the directory has of some points, else the cost of the network and the
// speed of this machine.
std::string estimated_duration(const spec::Sweep& sweep, const spec::Plan& plan, const Place& place,
                               const std::filesystem::path& directory);

}  // namespace lockstep::cli
