#pragma once

#include <memory>

#include "comm/tcp/controller.h"
#include "spec/trial.h"

namespace lockstep::cli {

// The process with --job_name=controller: prints what rank 0 prints and ends as it does.
ExitCode follow_rank0(const spec::Cluster& cluster);

// Rank 0's connection to the controller of --controller_host; null where none is named.
std::unique_ptr<comm::tcp::ControllerLink> dial_controller(const spec::Cluster& cluster, int world);

// Waits a moment for a controller that is not there yet. One warning, and the run continues without
// it.
void wait_for_controller(comm::tcp::ControllerLink& link, const spec::Cluster& cluster);

}  // namespace lockstep::cli
