#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "cli/data_options.h"
#include "data/index.h"

namespace lockstep::cli {

// Which files of a dataset each of so many hosts gets: all of them, or its share: every file for
// validation, and those for training dealt out in turn. Throws Error(usage) for a dataset that
// cannot be shared out.
std::vector<std::vector<std::string>> files_for_hosts(const data::Index& index, std::size_t hosts,
                                                      bool shares);

// `lockstep data copy`. Throws Error(launch) that names the hosts which do not have all of theirs.
ExitCode copy_dataset(const DataOptions& options);

}  // namespace lockstep::cli
