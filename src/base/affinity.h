#pragma once

#include <span>
#include <vector>

namespace lockstep {

// The processors that the calling thread may run on, ascending.
std::vector<int> bound_processors();

// Whether whoever started this process bound it to fewer processors than it could have: they are
// its own then, and not shared with other processes that were started beside it. A job's or a
// container's share of a machine, which nobody in it can leave, is not such a binding.
bool bound_by_parent();

// From here on the calling thread, and every thread that it starts, runs on these only. Throws
// Error(environment) when the machine has none of them for us.
void bind_thread(std::span<const int> processors);

}  // namespace lockstep
