#pragma once

#include <ctime>
#include <string>
#include <vector>

#include "report/import/imported.h"

namespace lockstep::report {

struct ImportInfo {
  std::string version;            // of lockstep
  std::vector<std::string> argv;  // the whole command that imports
  std::time_t written = 0;        // when the files were: a log seldom says when its run began
};

// The file run.json with what is known: docs/formats.md.
std::string imported_run_json(const ImportInfo& info, const ImportedRun& run);

// What `lockstep comm --json` prints, with what is known.
std::string imported_comm_json(const ImportInfo& info, const ImportedCollectives& collectives);

}  // namespace lockstep::report
