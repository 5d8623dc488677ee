#pragma once

#include <string>
#include <vector>

#include "report/row_view.h"

namespace lockstep::report {

// What to try next about a row, first against its largest loss: sentences, flags in `backquotes`.
// Never empty.
std::vector<std::string> advice(const RowView& row, const Series& series);

// What a row's time is lost to.
struct Loss {
  std::string_view name;    // of the glossary
  std::string_view column;  // of results.csv
  stats::Estimate share;

  bool large() const;    // at least kMatters
  bool matters() const;  // and its launches agree that something is lost
};
inline constexpr double kMatters = 0.05;
// First those that matter, each from the largest to the smallest.
std::vector<Loss> losses_of(const RowView& row);

}  // namespace lockstep::report
