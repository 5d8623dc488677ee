#include "report/comparison.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/table.h"
#include "base/text.h"
#include "report/characters.h"
#include "report/device_text.h"
#include "report/gate_report.h"
#include "report/speed_curve.h"
#include "spec/names.h"

namespace lockstep::report {
namespace {

constexpr std::size_t kNote = 300;

struct Place {
  const result::SweepResults& report;
  const spec::Row& row;
  const spec::Point& point;
  const stats::PointRecord& record;
  const stats::RowSummary& summary;
};

Place place_of(const Comparison& comparison, const stats::SideBySideRow& row) {
  const result::SweepResults& report = comparison.contenders[row.contender];
  const spec::Row& planned = report.plan.rows[row.row];
  return {report, planned, report.plan.points[planned.point], report.records[planned.point],
          report.rows[row.row]};
}

std::string range(const std::optional<stats::Interval>& interval, const auto& text) {
  if (!interval) return "-";
  return fmt::format("{} - {}", text(interval->low), text(interval->high));
}

// "old: 2026-01-02T03:04:05Z, lockstep 0.1.0 on host07, 4 cores."
std::string origin(const result::SweepResults& report) {
  for (const stats::PointRecord& record : report.records) {
    if (const stats::Launch* launch = stats::first_launch(record)) {
      return fmt::format("{}: {}, {}\n", printable(report.id), printable(launch->date),
                         printable(report.machine, kNote));
    }
  }
  return fmt::format("{}: nothing was measured\n", printable(report.id));
}

std::string thousandths(double value) {
  return fmt::format("{:.3f}", value);
}

}  // namespace

std::string comparison_table(const Comparison& comparison, std::size_t width) {
  using enum Table::Align;
  Table table({{"model", left},
               {"scaling", left, 5},
               {"batch", right, 4},
               {"devices"},
               {"results", left},
               {"strategy", left, 1},
               {"images/s"},
               {"95 %", right, 6, "95 % of images/s"},
               {"speed-up", right, 3},
               {"of the first"},
               {"95 %", right, 2, "95 % of the ratio"},
               {"verdict", left}});
  std::string notes;
  for (const result::SweepResults& report : comparison.contenders) notes += origin(report);
  for (const stats::SideBySideRow& row : comparison.rows) {
    const Place place = place_of(comparison, row);
    const std::optional<stats::Estimate>& mine = place.summary.speed;
    const std::optional<stats::Estimate>& up = place.summary.speed_up;
    std::vector<std::string> cells = {printable(place.point.model),
                                      std::string(name(place.row.scaling)),
                                      fmt::format("{}", place.row.series_batch),
                                      fmt::format("{}", place.point.devices),
                                      printable(place.report.id),
                                      printable(configuration(place.point)),
                                      speed_or_status(place.record, place.summary),
                                      mine ? range(mine->interval, speed_text) : "-",
                                      up ? fmt::format("{:.2f}", up->value) : "-"};
    if (row.with_first) {
      const auto& [ratio, verdict] = *row.with_first;
      cells.insert(cells.end(), {thousandths(ratio.value), range(ratio.interval, thousandths),
                                 std::string(word(verdict))});
    } else {
      cells.insert(cells.end(), {"-", "-", row.refused ? "not comparable" : "-"});
    }
    table.add(std::move(cells));
    const std::string note = place.record.failure.empty() ? row.note : place.record.failure;
    if (!note.empty()) {
      notes += fmt::format("{}, {}: {}\n", printable(place.report.id), printable(place.point.id),
                           printable(note, kNote));
    }
  }
  if (const std::vector<std::string> taken = table.fit(width); !taken.empty()) {
    notes += fmt::format("left out in this narrow terminal: {}\n", join(taken, ", "));
  }
  const std::string devices = device_sentence(comparison.contenders);
  return table.text() +
         fmt::format(
             "\nof the first: speed over that of {}, with its 95 % interval; SAME: all of "
             "it within {:g} %\n",
             printable(comparison.contenders.front().id), 100 * comparison.min_effect) +
         (devices.empty() ? "" : devices + '\n') + notes;
}

std::string comparison_graph(const Comparison& comparison) {
  std::vector<SpeedCurve> curves;
  int left_out = 0;
  for (const stats::SideBySideRow& row : comparison.rows) {
    const Place place = place_of(comparison, row);
    if (place.row.scaling != place_of(comparison, comparison.rows.front()).row.scaling) {
      ++left_out;
      continue;
    }
    if (!place.summary.speed) continue;
    const std::string name =
        fmt::format("{}_b{}", printable(place.point.model), place.row.series_batch);
    const std::string who =
        fmt::format("{}, {}", printable(place.report.id), printable(configuration(place.point)));
    auto curve = std::ranges::find_if(curves, [&](const SpeedCurve& known) {
      return known.name == name && known.framework == who;
    });
    if (curve == curves.end()) curve = curves.insert(curve, {.name = name, .framework = who});
    curve->speeds[place.point.devices] = place.summary.speed->value;
    // As in the table: strategies may share the baseline of one of them.
    if (const std::optional<std::size_t> baseline = place.summary.baseline;
        baseline && place.report.plan.points[*baseline].devices == curve->speeds.begin()->first) {
      curve->base = stats::estimate(stats::speeds(place.report.records[*baseline]))->value;
    }
  }
  std::string footer = device_sentence(comparison.contenders);
  if (left_out > 0) {
    footer += fmt::format("{}Not drawn: {} of another scaling.", footer.empty() ? "" : " ",
                          counted(left_out, "point"));
  }
  return comparison_svg(curves, "Speed-ups compared", footer);
}

}  // namespace lockstep::report
