#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/sweep_report.h"

namespace lockstep::report {

// A row of a report with all that belongs to it.
struct RowView {
  const result::SweepResults* report = nullptr;
  std::size_t index = 0;

  const spec::Row& row() const { return report->plan.rows[index]; }
  const spec::Point& point() const { return report->plan.points[row().point]; }
  const stats::PointRecord& record() const { return report->records[row().point]; }
  const stats::RowSummary& summary() const { return report->rows[index]; }
};

// A configuration over device counts.
struct Curve {
  std::string label;
  bool ceiling = false;
  std::vector<RowView> rows;  // by devices
};

// A network with one way of scaling it and one kind of images: what can be compared.
struct Series {
  std::string title;
  std::string subtitle;
  std::vector<Curve> curves;
};
std::vector<Series> series_of(std::span<const result::SweepResults> reports);

// The same with all kinds of images in one, a curve for each kind that is compared with synthetic
// ones, without those that only show a limit.
std::vector<Series> input_series_of(std::span<const result::SweepResults> reports);

// "replicated": what is hidden and shown together in all figures.
std::string choice_of(const RowView& row);

// "replicated, 1 device", for what is about one row.
std::string label_of(const RowView& row);

// Attributes that say which figure of results.csv an element shows: ` data-run="..." ...`.
std::string data_of(const RowView& row, std::string_view column, double value);
std::string data_of(const RowView& row, std::string_view column, const stats::Estimate& estimate);

}  // namespace lockstep::report
