#pragma once

#include <span>
#include <string>
#include <vector>

#include "data/convert.h"
#include "data/make.h"
#include "spec/sweep.h"

namespace lockstep::cli {

enum class DataAction { inspect, make, convert, copy };

// What a command line of `lockstep data` comes to.
struct DataOptions {
  DataAction action = DataAction::inspect;
  std::vector<std::string> directories = {};  // as many as the action takes
  bool json = false;
  bool skip_corrupt = false;
  data::MakeOptions make = {};
  data::ConvertOptions convert = {};
  spec::Sweep where = {};  // of copy: no more of it than which hosts there are
  std::string to = {};     // of copy: a directory on the hosts; empty: as it is called here
  bool shares = false;     // of copy: to each host its share of the files for training
};

// The arguments behind `lockstep data`. Throws Error(usage).
DataOptions parse_data(std::span<const std::string> arguments);

std::string data_help(bool full);
// Of one action, such as make; empty: there is no such action.
std::string data_part_help(std::string_view action);

}  // namespace lockstep::cli
