#pragma once

#include "cli/command_line.h"
#include "cli/job.h"
#include "cli/rank_threads.h"
#include "train/exchange.h"

namespace lockstep::cli {

// The ranks of this process, in order, as members of the world that the trial names. Throws
// Error(usage) where MPI has other ranks than its launcher told, or other processes another trial.
Ranks connect(const Job& job, Transports transports);

// Says that there is none, where processes listen for others beyond this host.
void note_missing_token(const std::string& address, const std::string& token);

// Returns where this program has the transport; else it goes on as the one that has MPI.
void go_on_with(spec::Transport wanted, Transports transports, std::string_view verb,
                Arguments arguments);

strategy::AllReduceSpec all_reduce_of(const Job& job);

// What all ranks agree on, by the trial.
train::Site site_of(const Job& job, const comm::Topology& topology);

}  // namespace lockstep::cli
