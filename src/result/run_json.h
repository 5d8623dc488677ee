#pragma once

#include <cstdint>
#include <ctime>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "result/result.h"

namespace lockstep::result {

// The file `run.json`: one run, whole. docs/run.schema.json is its schema, docs/formats.md explains
// it. The version grows when a field changes its meaning or goes away.
inline constexpr int kRunVersion = 1;

struct RunInfo {
  std::string version;            // of lockstep
  std::vector<std::string> argv;  // the whole command, from the program's name on
  std::time_t started = 0;
  std::string processors;    // "0-3": those that the run computed on
  std::int64_t batches = 0;  // epochs may come to more steps than a trial can count
};

// The resolved trial as a result carries it.
nlohmann::ordered_json config_json(const spec::Trial& trial, std::int64_t batches);

nlohmann::ordered_json run_json(const RunInfo& info, const Result& result);

// Writes DIRECTORY/run.json; the directory must exist.
void write_run_json(const std::filesystem::path& directory, const RunInfo& info,
                    const Result& result);

}  // namespace lockstep::result
