#pragma once

#include <ctime>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "stats/result.h"

namespace lockstep::report {

// The file `run.json`: one run, whole. docs/run.schema.json is its schema, docs/formats.md explains
// it. The version grows when a field changes its meaning or goes away.
inline constexpr int kRunVersion = 1;

struct RunInfo {
  std::string version;            // of lockstep
  std::vector<std::string> argv;  // the whole command, from the program's name on
  std::time_t started = 0;
  std::string processors;         // "0-3": those that the run computed on
  nlohmann::ordered_json config;  // the resolved trial
};

nlohmann::ordered_json run_json(const RunInfo& info, const stats::Result& result);

// Writes DIRECTORY/run.json; the directory must exist.
void write_run_json(const std::filesystem::path& directory, const RunInfo& info,
                    const stats::Result& result);

}  // namespace lockstep::report
