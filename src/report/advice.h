#pragma once

#include <string>
#include <vector>

#include "report/row_view.h"

namespace lockstep::report {

// What to try next about a row, first against its largest loss: sentences, flags in `backquotes`.
// Never empty.
std::vector<std::string> advice(const RowView& row, const Series& series);

// What most of a row's time is lost to. Shares below kMatters do not count.
struct Loss {
  std::string_view name;    // of the glossary
  std::string_view column;  // of results.csv
  stats::Estimate share;
};
inline constexpr double kMatters = 0.05;
// From the largest to the smallest.
std::vector<Loss> losses_of(const RowView& row);

}  // namespace lockstep::report
