#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "spec/sweep.h"
#include "stats/sweep.h"

namespace lockstep::result {

// A sweep as far as it has been measured.
struct SweepResults {
  std::string id;       // what the sweep is called
  std::string machine;  // where it ran, in one line
  spec::Plan plan;
  std::vector<stats::PointRecord> records;  // by point
  std::vector<stats::RowSummary> rows;      // by row of the plan
  std::vector<std::string> warnings = {};   // of the machine, before the first launch
};

// What a directory of results holds.
struct ResultDirectory {
  SweepResults sweep;
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

}  // namespace lockstep::result
