#pragma once

#include <span>
#include <string>
#include <string_view>

#include "report/import/imported.h"

namespace lockstep::report {

// How the numbers that a pattern finds in a log become one.
enum class Compute { average, p50, p90, last, total };
inline constexpr std::string_view kComputes[] = {"average", "p50", "p90", "last", "total"};

struct ImportOptions {
  std::string format = "auto";
  RunSetup given = {};         // wins over what the files say
  std::string framework = {};  // the same; empty: what they say
  bool one_run = false;        // the files are what the ranks of one run printed
  std::string operation = {};  // of collectives, where the file does not tell
  // A regular expression that finds speeds in a log, and one that finds what they are of in its
  // name (report/import/named_pattern.h). The group of the speed is called so, or is the first
  // without a name; others are called like what they say: devices, batch_size, model, strategy.
  std::string pattern = {}, file_pattern = {};
  Compute compute = Compute::average;
  double scale = 1;  // times what the pattern finds, is images per second of all devices
};

// A row of the table of formats. Pure: text to figures.
struct ImportFormat {
  std::string_view name;
  std::string_view summary;
  bool (*looks_like)(const Source& source);  // null: only when asked for
  // Files of this format, in the order of the command line. Throws Error(usage) with file and line.
  Imported (*read)(std::span<const Source> sources, const ImportOptions& options);
};
std::span<const ImportFormat> import_formats();

// Reads all files, each by the format that it looks like or that was asked for. Every run has a
// model, batch size, number of devices and strategy then: throws Error(usage) that names all that
// are missing.
Imported import_sources(std::vector<Source> sources, const ImportOptions& options);

}  // namespace lockstep::report
