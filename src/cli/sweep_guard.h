#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cli/sweep_site.h"
#include "machine/environment.h"

namespace lockstep::cli {

// Looks, before a sweep, at the machines that it is to run on, without measuring anything: at this
// one as far as it takes part, and at the hosts that ssh reaches, which have the program by now.
// Prints what is to be warned of and returns it; all findings go to doctor.json in the directory.
std::vector<std::string> guard(const Place& place, const std::string& program,
                               const machine::Environment& environment,
                               const std::filesystem::path& directory);

}  // namespace lockstep::cli
