#pragma once

#include <cstdint>
#include <string>

#include "cli/job.h"
#include "cli/memory.h"
#include "machine/peak.h"

namespace lockstep::cli {

// About how long a step takes: its arithmetic at a share of the peak that convolutional networks
// reach, or its memory traffic at the memory's speed, whichever is longer.
double expected_step_seconds(const Job& job, double gflops, double gigabytes_per_second);

// Warm-up and timed steps of that length, as the trial bounds them.
double expected_run_seconds(const Job& job, double step_seconds);

// What is going to happen, before it does. Measures the memory for it: some ten milliseconds.
std::string outlook(const Job& job, const machine::Peak& peak, const Memory& memory);

}  // namespace lockstep::cli
