#pragma once

#include <span>
#include <string>

#include "report/sweep_report.h"
#include "stats/side_by_side.h"

namespace lockstep::report {

// Several results beside each other; those of the first are what the others are compared with.
struct Comparison {
  std::span<const result::SweepResults> contenders;
  std::span<const stats::SideBySideRow> rows;
  double min_effect = 0;
};

// For people: a line for each configuration of each contender; below it what does not compare.
// Columns that a terminal of this width has no room for are left out.
std::string comparison_table(const Comparison& comparison, std::size_t width = kAnyWidth);

// comparison_graph.svg: speed-ups of all configurations, in the style of `comparison_svg`. Those of
// another scaling than the first one's are not drawn beside it; the footer counts them.
std::string comparison_graph(const Comparison& comparison);

}  // namespace lockstep::report
