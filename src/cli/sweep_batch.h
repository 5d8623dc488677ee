#pragma once

#include <filesystem>
#include <string>

#include "base/error.h"
#include "cli/sweep_launch.h"
#include "cli/sweep_site.h"
#include "launch/slurm.h"
#include "spec/sweep.h"

namespace lockstep::cli {

// The job that goes on with the sweep in `directory`, within the allocation that it gets.
launch::Batch batch_of(const Place::Batch& place, const Launching& launching,
                       const std::filesystem::path& directory);

// The script and the command that hands it in.
std::string submission_text(const launch::Batch& batch, const std::filesystem::path& directory);

// Begins the sweep, or resumes it, by a batch job. Waits for its end and shows what it says; ^C and
// SIGTERM cancel it. Returns the job's exit code. Throws Error(launch) when there is no sbatch, or
// the job was not taken or ended before it began.
ExitCode submit(const launch::Batch& batch, const spec::Sweep& sweep,
                const std::filesystem::path& directory, bool resume);

}  // namespace lockstep::cli
