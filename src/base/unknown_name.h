#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/error.h"

namespace lockstep {

// "did you mean slurm?": the known name closest to `name`, after `prefix`; empty where none is
// close.
std::string did_you_mean(std::string_view name, std::span<const std::string> known,
                         std::string_view prefix = {});

// "unknown launcher 'slurmm'", with the hint "did you mean slurm? known: local, ssh, mpi, slurm".
Error unknown_name(std::string_view kind, std::string_view name,
                   std::span<const std::string> known);

}  // namespace lockstep
