#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/sweep_report.h"

namespace lockstep::report {

// What every table of a sweep, wherever it is printed, says about its numbers.

// What a star, or bold letters, mean.
inline constexpr std::string_view kBestMark =
    "*: faster than all others with as many devices, by more than launches differ";

// Stands before a share of `independent` above 100 %, which should be its limit; empty: it is not.
std::string_view limit_mark(const stats::RowSummary& row);

// "93.1 %", "^110.8 %": that share with its mark. Empty where there is none.
std::string of_limit_text(const stats::RowSummary& row);

// Sentences: what the marks that the rows have mean, what speed-ups refer to where that is not
// their own configuration, which launches have no partner. `marks`: those of limits are shown.
std::vector<std::string> remarks(const result::SweepResults& report, bool marks = true);

}  // namespace lockstep::report
