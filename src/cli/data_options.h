#pragma once

#include <span>
#include <string>
#include <vector>

#include "data/convert.h"
#include "data/make.h"

namespace lockstep::cli {

enum class DataAction { inspect, make, convert };

// What a command line of `lockstep data` comes to.
struct DataOptions {
  DataAction action = DataAction::inspect;
  std::vector<std::string> directories = {};  // as many as the action takes
  bool json = false;
  bool skip_corrupt = false;
  data::MakeOptions make = {};
  data::ConvertOptions convert = {};
};

// The arguments behind `lockstep data`. Throws Error(usage).
DataOptions parse_data(std::span<const std::string> arguments);

std::string data_help(bool full);

}  // namespace lockstep::cli
