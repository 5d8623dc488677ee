#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lockstep::spec {

// Slurm's short forms, written out. Both throw Error(usage) that says what is wrong.

// "gnode[10,20,25-37],login1": hosts, in order. Numbers are as wide as the first of their range
// ("[08-11]" starts with 08), a name may have several brackets ("rack[1-2]node[1-4]").
std::vector<std::string> expand_hostlist(std::string_view text);

// "2(x3),1": {2, 2, 2, 1}, the tasks of each host.
std::vector<int> expand_task_counts(std::string_view text);

}  // namespace lockstep::spec
