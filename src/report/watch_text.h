#pragma once

#include <string>
#include <vector>

#include "report/sweep_report.h"
#include "report/sweep_view.h"

namespace lockstep::report {

// What `lockstep watch` says of a sweep, in words. Names that others chose are printable.

struct WatchField {
  std::string id;     // "eta"
  std::string label;  // "ETA"
  std::string text;
};
// Always the same ones.
std::vector<WatchField> watch_fields(const SweepView& view);

// A line for each row of the plan, below the names of its columns.
struct WatchRows {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
};
WatchRows watch_rows(const SweepView& view);

// "[5/12] running, ETA 20 s: lenet-b4-d2-replicated, launch 2", for a log.
std::string watch_line(const SweepView& view);
// The same with the speed, and the rows, for a terminal of this width.
std::string watch_table(const SweepView& view, std::size_t width = kAnyWidth);

}  // namespace lockstep::report
