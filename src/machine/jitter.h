#pragma once

#include <vector>

namespace lockstep::machine {

// What the same short work takes, again and again: seconds of each repetition on each thread of the
// calling thread's team, all of them busy for `seconds`. Whatever else the machine does is in the
// differences between them.
std::vector<std::vector<double>> measure_repetitions(double seconds = 1);

}  // namespace lockstep::machine
