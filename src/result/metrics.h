#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "result/result.h"
#include "stats/sweep.h"

namespace lockstep::result {

// A value in run.json; nothing: null.
using Value = std::variant<std::monostate, std::int64_t, double, bool, std::string>;

// Where readers keep a value of run.json. A file that lacks a key is refused, unless its field is
// optional: whatever is added later must be, since earlier files do not have it.
using LaunchField =
    std::variant<std::monostate, double stats::Launch::*, std::int64_t stats::Launch::*,
                 bool stats::Launch::*, std::optional<double> stats::Launch::*>;

// How a point's value follows from those of its launches.
enum class Average { mean, sum, largest, all };

// A column of the console table.
struct TableColumn {
  int place = 0;            // from the left; 0: it is not there
  bool optional = false;    // only where a row has the value
  int narrow = 0;           // a narrow terminal drops the highest first; 0: never
  int narrow_interval = 0;  // the same of the column with its interval; 0: there is none
};

// A figure of merit: one row of the table below, from which run.json, results.csv, the console
// table, the page, its glossary, docs/run.schema.json and `lockstep list metrics` follow.
struct Metric {
  std::string_view key;           // in `statistics` of run.json and in results.csv
  std::string_view unit;          // "share": printed in per cent; empty: a number without a unit
  std::string_view label;         // for people; the glossary's word
  std::string_view heading = {};  // of a column, where the label is too long
  std::string_view meaning;       // a sentence or two
  std::string_view section;       // of docs/measurement.md that defines it

  // Where its value comes from: a run has it, readers find it in a launch (read from run.json, or
  // derived from what is there), or it follows from all launches of a row, with an interval.
  Value (*of_run)(const Measured& run) = nullptr;
  LaunchField of_launch = {};
  std::optional<double> (*derived)(const stats::Launch& launch) = nullptr;
  std::optional<stats::Estimate> (*of_row)(const stats::RowSummary& row) = nullptr;
  Average average = Average::mean;
  bool limit = false;            // it is a share of a limit: above 100 % it is marked
  bool may_be_negative = false;  // what cannot be is refused where it is read

  bool in_csv = true;
  TableColumn table = {};
  int page = 0;  // place among the columns of the page; 0: it is not there
};

// In the order of results.csv.
std::span<const Metric> metrics();

// Those of one kind, by their places.
std::vector<const Metric*> table_metrics();
std::vector<const Metric*> page_metrics();

// The metric with this key, which must exist.
const Metric& metric(std::string_view key);

// What it is at a point; nothing where the point has failed or its launches do not have it.
// Launches that others measured have their speed alone.
std::optional<double> value(const Metric& metric, const stats::PointRecord& record);

// Whether its values are counts, or yes and no.
bool is_integer(const Metric& metric);
bool is_yes_or_no(const Metric& metric);

// The parts of a step: a row each, in the order of a step.
struct StepPart {
  stats::Part part;
  std::string_view name;
  std::string_view column;  // of results.csv: its milliseconds
  std::string_view colour;  // neighbours differ in lightness, too: for eyes and printers without
  bool computes = false;    // what the devices are for; all else is lost
};
std::span<const StepPart> step_parts();

// Its share of the step.
const Metric& share_of(const StepPart& part);

}  // namespace lockstep::result
