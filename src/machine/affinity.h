#pragma once

#include <span>
#include <vector>

namespace lockstep::machine {

// The processors that the calling thread may run on, ascending.
std::vector<int> bound_processors();

// From here on the calling thread, and every thread that it starts, runs on these only. Throws
// Error(environment) when the machine has none of them for us.
void bind_thread(std::span<const int> processors);

}  // namespace lockstep::machine
