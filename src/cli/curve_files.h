#pragma once

#include <filesystem>

#include "report/sweep_report.h"
#include "spec/sweep.h"

namespace lockstep::cli {

// The files of earlier scalability tests: docs/formats.md.

// Makes their directories, so that what is wrong with them is known before anything is measured.
// Throws Error(usage) for a plan without weak scaling: the files are by the batch of a device.
void prepare_curve_files(const std::filesystem::path& directory, const spec::Plan& plan);

// Writes the curves of the sweep, draws them beside those of other frameworks that are there, and
// prints where they are and which tests were completed. `complete`: all launches were made.
void write_curve_files(const std::filesystem::path& directory, const result::SweepResults& report,
                       bool complete);

}  // namespace lockstep::cli
