#pragma once

#include <span>
#include <string>
#include <vector>

#include "report/import/formats.h"

namespace lockstep::cli {

// What a command line of `lockstep import` comes to.
struct ImportCommand {
  report::ImportOptions options;
  std::vector<std::string> files;
  std::string result_dir;  // empty: not said
};

// The arguments behind `lockstep import`. Variables of the environment are not asked: what a log is
// of does not follow from what is measured now. Throws Error(usage).
ImportCommand parse_import(std::span<const std::string> arguments);

std::string import_help(bool full);

}  // namespace lockstep::cli
