#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/table.h"
#include "base/text.h"
#include "report/characters.h"
#include "report/remarks.h"
#include "report/sweep_report.h"
#include "result/metrics.h"
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

std::string heading_of(const result::Metric& metric) {
  return std::string(metric.heading.empty() ? metric.label : metric.heading);
}

std::string interval_name(const result::Metric& metric) {
  return "95 % of " + heading_of(metric);
}

// The metrics that have a column here.
std::vector<const result::Metric*> shown_metrics(const result::SweepResults& report) {
  std::vector<const result::Metric*> shown = result::table_metrics();
  std::erase_if(shown, [&](const result::Metric* metric) {
    if (!metric->table.optional) return false;
    if (metric->of_row != nullptr) {
      return std::ranges::none_of(report.rows, [&](const stats::RowSummary& row) {
        return metric->of_row(row).has_value();
      });
    }
    return std::ranges::none_of(report.records, [&](const stats::PointRecord& record) {
      return result::value(*metric, record).has_value();
    });
  });
  return shown;
}

std::string cell_of(const result::Metric& metric, const stats::PointRecord& record,
                    const stats::RowSummary& row) {
  if (metric.of_row != nullptr) {
    const auto estimate = metric.of_row(row);
    return (metric.limit ? std::string(limit_mark(row)) : "") +
           value_of(estimate, estimate_text(metric));
  }
  const auto value = result::value(metric, record);
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

std::string (*estimate_text(const result::Metric& metric))(double) {
  if (metric.unit == "share") return percent_text;
  return metric.unit.empty() ? ratio_text : speed_text;
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
    text += ", " + counted(point.num_ps, "server");
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
  columns.insert(columns.end(), {{"batch", right, 2}, {"strategy", left}, {"devices"}});
  const std::vector<const result::Metric*> shown = shown_metrics(report);
  for (const result::Metric* metric : shown) {
    columns.push_back({heading_of(*metric), right, metric->table.narrow});
    if (metric->table.narrow_interval > 0) {
      columns.push_back({"95 %", right, metric->table.narrow_interval, interval_name(*metric)});
    }
  }
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
    cells.insert(cells.end(), {fmt::format("{}", point.batch_size),
                               printable(configuration(point)) + (summary.best ? " *" : ""),
                               fmt::format("{}", point.devices)});
    for (const result::Metric* metric : shown) {
      // The first column of a row without numbers says why.
      cells.push_back(metric == shown.front() ? speed_or_status(record, summary)
                                              : cell_of(*metric, record, summary));
      if (metric->table.narrow_interval > 0) {
        cells.push_back(interval_of(metric->of_row(summary), estimate_text(*metric)));
      }
    }
    table.add(std::move(cells));
  }
  const std::vector<std::string> taken = table.fit(width);
  const auto is_left = [&](const std::string& column) {
    return std::ranges::count(taken, column) == 0;
  };
  const bool intervals = std::ranges::any_of(shown, [&](const result::Metric* metric) {
    return metric->table.narrow_interval > 0 && is_left(interval_name(*metric));
  });
  const bool limits = std::ranges::any_of(shown, [&](const result::Metric* metric) {
    return metric->limit && is_left(heading_of(*metric));
  });
  std::vector<std::string> notes;
  if (!launches.empty() && intervals) notes.push_back(legend(launches));
  if (marked) notes.emplace_back(kBestMark);
  std::ranges::copy(remarks(report, limits), std::back_inserter(notes));
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
