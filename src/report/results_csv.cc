#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "report/csv.h"
#include "report/speed_curve.h"
#include "report/sweep_report.h"
#include "result/metrics.h"
#include "spec/names.h"

namespace lockstep::report {
namespace {

// One line, in the order of the columns; the first line names them.
class CsvLine {
 public:
  template <typename Value>
  void add(const char* column, const Value& value) {
    columns.emplace_back(column);
    if constexpr (std::is_floating_point_v<Value>) {
      values.push_back(plain_number(value));
    } else if constexpr (std::is_arithmetic_v<Value>) {
      values.push_back(fmt::format("{}", value));
    } else {
      values.push_back(csv_text(value));
    }
  }
  template <typename Value>
  void add(const char* column, const std::optional<Value>& value) {
    if (value) {
      add(column, *value);
    } else {
      add(column, "");
    }
  }
  void add_estimate(const std::string& column, const std::optional<stats::Estimate>& estimate) {
    const bool bounded = estimate && estimate->interval;
    add(column.c_str(), estimate ? std::optional(estimate->value) : std::nullopt);
    add((column + "_ci95_lo").c_str(),
        bounded ? std::optional(estimate->interval->low) : std::nullopt);
    add((column + "_ci95_hi").c_str(),
        bounded ? std::optional(estimate->interval->high) : std::nullopt);
  }

  void add_metric(const result::Metric& metric, const stats::PointRecord& record,
                  const stats::RowSummary& row) {
    if (metric.of_row != nullptr) {
      add_estimate(std::string(metric.key), metric.of_row(row));
      return;
    }
    const auto value = result::value(metric, record);
    columns.emplace_back(metric.key);
    values.push_back(!value                       ? ""
                     : result::is_integer(metric) ? fmt::format("{:.0f}", *value)
                                                  : plain_number(*value));
  }

  std::vector<std::string> columns;
  std::vector<std::string> values;
};

using Launches = std::vector<stats::Launch>;

std::string notes(const result::SweepResults& report, const stats::PointRecord& record,
                  const Launches& launches) {
  if (!record.failure.empty()) return record.failure;
  if (launches.empty()) return {};
  std::vector<std::string> sentences = report.warnings;
  for (const stats::Launch& launch : launches) {
    for (const std::string& warning : launch.warnings) {
      if (std::ranges::count(sentences, warning) == 0) sentences.push_back(warning);
    }
  }
  return join(sentences, "; ");
}

constexpr const char* kStatus[] = {"measured", "failed", "not_measured"};

CsvLine line_of(const result::SweepResults& report, std::size_t r) {
  const spec::Row& row = report.plan.rows[r];
  const spec::Point& point = report.plan.points[row.point];
  const stats::PointRecord& record = report.records[row.point];
  const stats::RowSummary& summary = report.rows[r];
  Launches launches;
  if (record.failure.empty()) {
    for (const auto& launch : record.launches) {
      if (launch) launches.push_back(*launch);
    }
  }
  const bool any = !launches.empty();
  // Of what others measured, little but the speed is known.
  const bool own = !any || !launches.front().imported;
  const Launches detailed = own ? launches : Launches();
  const auto if_own = [&](auto value) { return own ? std::optional(value) : std::nullopt; };
  CsvLine line;
  line.add("schema", fmt::format("lockstep-results-{}", kResultsVersion));
  line.add("run_id", report.id);
  line.add("timestamp_utc", any ? launches.front().date : "");
  line.add("framework", own ? std::string(kOwnFramework) : launches.front().program);
  line.add("point", point.id);
  line.add("model", point.model);
  line.add("dataset", any ? launches.front().dataset : "");
  line.add("dtype", if_own("fp32"));
  line.add("strategy", point.strategy);
  line.add("algorithm", detailed.empty() ? "" : detailed.front().all_reduce);
  line.add("bucket_bytes",
           detailed.empty() ? std::nullopt : std::optional(detailed.front().bucket_bytes));
  line.add("num_ps", point.num_ps);
  line.add("data_format", point.data_format);
  line.add("input", point.input ? name(*point.input) : "");
  line.add("scaling", name(row.scaling));
  line.add("devices", point.devices);
  line.add("hosts", detailed.empty() ? std::nullopt : std::optional(detailed.front().hosts));
  line.add("devices_per_host",
           detailed.empty() ? std::nullopt : std::optional(detailed.front().devices_per_host));
  line.add("threads_per_device", if_own(point.threads_per_device));
  line.add("batch_per_device", point.batch_size);
  line.add("batch_global", static_cast<std::int64_t>(point.batch_size) * point.devices);
  line.add("launches", launches.size());
  line.add("baseline_devices",
           summary.baseline_devices > 0 ? std::optional(summary.baseline_devices) : std::nullopt);
  line.add("baseline_point", summary.baseline ? report.plan.points[*summary.baseline].id : "");
  for (const result::Metric& metric : result::metrics()) {
    if (metric.in_csv) line.add_metric(metric, record, summary);
  }
  line.add("best", summary.best ? 1 : 0);
  line.add("status", kStatus[static_cast<std::size_t>(status(record))]);
  line.add("notes", notes(report, record, launches));
  return line;
}

// What a spreadsheet or a slide needs.
CsvLine short_line_of(const result::SweepResults& report, std::size_t r) {
  const spec::Row& row = report.plan.rows[r];
  const spec::Point& point = report.plan.points[row.point];
  const stats::RowSummary& summary = report.rows[r];
  const auto value = [](const std::optional<stats::Estimate>& estimate) {
    return estimate ? std::optional(estimate->value) : std::nullopt;
  };
  CsvLine line;
  line.add("run_id", report.id);
  line.add("model", point.model);
  line.add("scaling", name(row.scaling));
  line.add("batch_per_device", point.batch_size);
  line.add("configuration", configuration(point));
  line.add("devices", point.devices);
  line.add("launches", summary.speed ? summary.speed->launches : 0);
  line.add_estimate("images_per_s", summary.speed);
  line.add("speedup", value(summary.speed_up));
  line.add("efficiency", value(summary.efficiency));
  line.add("of_independent", value(summary.of_ceiling));
  line.add("best", summary.best ? 1 : 0);
  line.add("status", kStatus[static_cast<std::size_t>(status(report.records[row.point]))]);
  return line;
}

std::string csv_of(std::span<const result::SweepResults> reports,
                   CsvLine (*line_for)(const result::SweepResults& report, std::size_t row)) {
  std::string text;
  for (const result::SweepResults& report : reports) {
    for (std::size_t r = 0; r < report.rows.size(); ++r) {
      const CsvLine line = line_for(report, r);
      if (text.empty()) text += join(line.columns, ",") + '\n';
      text += join(line.values, ",") + '\n';
    }
  }
  return text;
}

}  // namespace

std::string plain_number(double value) {
  return fmt::format("{:.6g}", value);
}

std::string results_csv(std::span<const result::SweepResults> reports) {
  return csv_of(reports, line_of);
}

std::string summary_csv(std::span<const result::SweepResults> reports) {
  return csv_of(reports, short_line_of);
}

}  // namespace lockstep::report
