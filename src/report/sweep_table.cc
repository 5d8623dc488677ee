#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/table.h"
#include "base/text.h"
#include "report/characters.h"
#include "report/remarks.h"
#include "report/sweep_report.h"
#include "spec/names.h"

namespace lockstep::report {
namespace {

// "29.6 - 31.1", "93.1 - 94.5 %": the unit once.
std::string interval_of(const std::optional<stats::Estimate>& estimate,
                        std::string (*text)(double)) {
  if (!estimate || !estimate->interval) return "-";
  const std::string low = text(estimate->interval->low);
  return fmt::format("{} - {}", low.substr(0, low.find(' ')), text(estimate->interval->high));
}

std::string value_of(const std::optional<stats::Estimate>& estimate, std::string (*text)(double)) {
  return estimate ? text(estimate->value) : "-";
}

// What the columns rest on.
std::string legend(const std::set<int>& launches) {
  if (launches.empty()) return {};
  if (launches.size() > 1) {
    return fmt::format("95 %: intervals over {} to {} launches a point", *launches.begin(),
                       *launches.rbegin());
  }
  if (*launches.begin() == 1) return "one launch a point: no intervals";
  return fmt::format("95 %: intervals over {} launches a point", *launches.begin());
}

using LaunchField = std::optional<double> stats::Launch::*;

// The column is there where any point has the figure.
bool any_has(const result::SweepResults& report, LaunchField figure) {
  return std::ranges::any_of(report.records, [&](const stats::PointRecord& record) {
    return stats::mean_over_launches(record, figure).has_value();
  });
}

std::string figure_text(const stats::PointRecord& record, LaunchField figure) {
  const auto value = stats::mean_over_launches(record, figure);
  return value ? fmt::format("{:.3g}", *value) : "not available";
}

}  // namespace

std::string speed_text(double images_per_second) {
  const int digits = images_per_second >= 1000 ? 0 : images_per_second >= 10 ? 1 : 2;
  return fmt::format("{:.{}f}", images_per_second, digits);
}

std::string ratio_text(double ratio) {
  return fmt::format("{:.2f}", ratio);
}

std::string percent_text(double share) {
  const std::string text = fmt::format("{:.1f} %", 100 * share);
  return text == "-0.0 %" ? text.substr(1) : text;
}

std::string speed_or_status(const stats::PointRecord& record, const stats::RowSummary& row) {
  switch (status(record)) {
    case stats::Status::failed:
      return "failed";
    case stats::Status::not_measured:
      return "not measured";
    case stats::Status::measured:
      break;
  }
  return speed_text(row.speed->value);
}

bool compares_inputs(const result::SweepResults& report) {
  return std::ranges::any_of(
      report.rows, [](const stats::RowSummary& row) { return row.io_overhead.has_value(); });
}

std::string choice_text(const spec::Point& point) {
  std::string text = point.strategy;
  if (point.num_ps > 0) {
    text += fmt::format(", {} server{}", point.num_ps, point.num_ps == 1 ? "" : "s");
  }
  if (point.data_format != "auto") text += fmt::format(", {}", point.data_format);
  return text;
}

std::string configuration(const spec::Point& point) {
  const std::string text = choice_text(point);
  return point.input ? fmt::format("{}, {}", text, name(*point.input)) : text;
}

std::string sweep_table(const result::SweepResults& report, std::size_t width) {
  using enum Table::Align;
  const bool both = std::ranges::any_of(report.plan.rows, [&](const spec::Row& row) {
    return row.scaling != report.plan.rows.front().scaling;
  });
  std::vector<Table::Column> columns = {{"model", left}};
  if (both) columns.push_back({"scaling", left});
  columns.insert(columns.end(), {{"batch", right, 2},
                                 {"strategy", left},
                                 {"devices"},
                                 {"images/s"},
                                 {"95 %", right, 3},
                                 {"speed-up", right, 1},
                                 {"efficiency"},
                                 {"95 %", right, 5},
                                 {"of independent", right, 4}});
  const bool inputs = compares_inputs(report);
  if (inputs) columns.insert(columns.end(), {{"I/O overhead"}, {"95 %", right, 6}});
  const bool energy = any_has(report, &stats::Launch::joules_per_image);
  const bool cost = any_has(report, &stats::Launch::cost_per_million_images);
  if (energy) columns.push_back({"J/image", right, 8});
  if (cost) columns.push_back({"cost/10^6", right, 7});
  Table table(std::move(columns));
  bool marked = false;
  std::set<std::string> failures;
  std::set<int> launches;
  for (std::size_t r = 0; r < report.rows.size(); ++r) {
    const spec::Row& row = report.plan.rows[r];
    const spec::Point& point = report.plan.points[row.point];
    const stats::PointRecord& record = report.records[row.point];
    const stats::RowSummary& summary = report.rows[r];
    marked = marked || summary.best;
    if (summary.speed) launches.insert(summary.speed->launches);
    if (!record.failure.empty()) {
      failures.insert(fmt::format("failed: {}: {}", point.id, printable(record.failure, 500)));
    }
    std::vector<std::string> cells = {printable(point.model)};
    if (both) cells.emplace_back(name(row.scaling));
    cells.insert(
        cells.end(),
        {fmt::format("{}", point.batch_size),
         printable(configuration(point)) + (summary.best ? " *" : ""),
         fmt::format("{}", point.devices), speed_or_status(record, summary),
         interval_of(summary.speed, speed_text), value_of(summary.speed_up, ratio_text),
         value_of(summary.efficiency, percent_text), interval_of(summary.efficiency, percent_text),
         summary.of_ceiling ? of_limit_text(summary) : "-"});
    if (inputs) {
      cells.push_back(value_of(summary.io_overhead, percent_text));
      cells.push_back(interval_of(summary.io_overhead, percent_text));
    }
    if (energy) cells.push_back(figure_text(record, &stats::Launch::joules_per_image));
    if (cost) cells.push_back(figure_text(record, &stats::Launch::cost_per_million_images));
    table.add(std::move(cells));
  }
  const std::vector<std::string> taken = table.fit(width);
  std::vector<std::string> notes;
  if (!launches.empty()) notes.push_back(legend(launches));
  if (marked) notes.emplace_back(kBestMark);
  std::ranges::copy(remarks(report), std::back_inserter(notes));
  if (!taken.empty()) {
    notes.push_back(fmt::format("left out in this narrow terminal: {}; results.csv has all",
                                join(taken, ", ")));
  }
  std::ranges::copy(failures, std::back_inserter(notes));
  std::string text = table.text() + '\n';
  for (const std::string& note : notes) {
    for (const std::string& line : wrap(note, width)) text += line + '\n';
  }
  return text;
}

}  // namespace lockstep::report
