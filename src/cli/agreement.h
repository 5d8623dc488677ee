#pragma once

#include <nlohmann/json_fwd.hpp>

#include "cli/rank_threads.h"
#include "spec/trial.h"

namespace lockstep::cli {

// Throws Error(usage) in every process of the world, with all that differs, unless they were
// started with the same options: ranks that were told different things wait for each other in vain,
// or train what nobody has asked for. Collective over processes; `ranks` are those of this one.
void refuse_different_options(const Ranks& ranks, const nlohmann::json& options);

// What the processes of a run have to be told alike: all but what is one host's or process's own
// affair, such as a directory.
nlohmann::json common_options(const spec::Trial& trial);

}  // namespace lockstep::cli
