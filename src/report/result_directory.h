#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "report/sweep_report.h"

namespace lockstep::report {

// What a directory of results holds.
struct ResultDirectory {
  SweepReport report;
  std::vector<std::string> problems = {};  // files that are left out, and what was expected of them
};

// Whether a directory is one of a sweep or a run.
bool holds_results(const std::filesystem::path& directory);

// Reads what `lockstep sweep` has left in a directory so far, or `lockstep run`, which is taken for
// a sweep of one point. A file that is damaged, cut off or of a version that this lockstep does not
// know costs its launch and no more. Throws Error(usage) for a directory that says not even what
// was to be measured.
ResultDirectory read_results(const std::filesystem::path& directory);

// The sweep of a directory's sweep.json. Throws Error(usage) where that is no whole one.
spec::Sweep sweep_in(const std::filesystem::path& directory);

// The launches, from 0 on, that have ended in a point's directory.
std::vector<int> rounds_in(const std::filesystem::path& directory);

}  // namespace lockstep::report
