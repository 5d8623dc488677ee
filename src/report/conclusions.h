#pragma once

#include <span>
#include <string>
#include <vector>

#include "report/sweep_report.h"

namespace lockstep::report {

// What the sweeps show, in words, computed from the intervals of their launches: which strategy is
// the fastest and which network scales best, each with the largest number of devices; where that is
// undecided, how many more launches would decide it.
std::vector<std::string> conclusions(std::span<const result::SweepResults> reports);

}  // namespace lockstep::report
