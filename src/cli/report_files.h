#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "report/evidence.h"

namespace lockstep::cli {

// Writes the page, the tables and the figures of a report into a directory, the figures also in
// `formats` beside SVG; calls `on_file` after each. Files of an earlier report are removed.
void write_report(const report::Evidence& evidence, const std::filesystem::path& directory,
                  const std::vector<std::string>& formats,
                  const std::function<void(const std::filesystem::path&)>& on_file);

}  // namespace lockstep::cli
