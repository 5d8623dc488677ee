#include "report/watch_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/table.h"
#include "base/text.h"
#include "report/characters.h"

namespace lockstep::report {
namespace {

constexpr std::string_view kUnknown = "-";

std::string state_text(const SweepView& view) {
  switch (view.state) {
    case SweepState::waiting:
      return fmt::format("waiting for a sweep to start in {}",
                         printable(view.directory.string(), 300));
    case SweepState::running:
      return "running";
    case SweepState::complete:
      return "complete";
    case SweepState::stopped:
      break;
  }
  return "stopped before its end";
}

std::string launches_text(const SweepView& view) {
  return fmt::format("{} of {}{}", view.done, view.expected, view.at_least ? " at least" : "");
}

std::string now_text(const SweepView& view) {
  if (!view.running) return std::string(kUnknown);
  const spec::Point& point = view.report.plan.points[view.running->point];
  return fmt::format("{}, launch {}", printable(point.id, 100), view.running->round + 1);
}

std::string eta_text(const SweepView& view) {
  if (!view.seconds_left) return std::string(kUnknown);
  if (*view.seconds_left >= 1) return human_seconds(*view.seconds_left);
  // It is late: whatever is left takes longer than what there was.
  return view.done < view.expected ? "late: this launch takes longer than the others did"
                                   : "at any moment";
}

std::string interval_text(const std::optional<stats::Estimate>& speed) {
  if (!speed || !speed->interval) return std::string(kUnknown);
  return fmt::format("{} - {}", speed_text(speed->interval->low),
                     speed_text(speed->interval->high));
}

std::string speed_now(const SweepView& view) {
  const auto speed = current_speed(view);
  return speed ? fmt::format("{} images/s", speed_text(*speed)) : std::string(kUnknown);
}

}  // namespace

std::vector<WatchField> watch_fields(const SweepView& view) {
  return {{"state", "State", state_text(view)},
          {"launches", "Launches", launches_text(view)},
          {"failed", "Failed points", std::to_string(view.failed)},
          {"now", "Running", now_text(view)},
          {"steps", "Steps", view.running ? std::to_string(view.running->steps) : "-"},
          {"speed", "Speed", speed_now(view)},
          {"eta", "ETA", eta_text(view)}};
}

WatchRows watch_rows(const SweepView& view) {
  WatchRows table{.columns = {"model", "batch", "strategy", "devices", "images/s", "95 %",
                              "speed-up", "launches"},
                  .rows = {}};
  for (std::size_t r = 0; r < view.report.rows.size(); ++r) {
    const std::size_t p = view.report.plan.rows[r].point;
    const spec::Point& point = view.report.plan.points[p];
    const stats::PointRecord& record = view.report.records[p];
    const stats::RowSummary& summary = view.report.rows[r];
    const bool running = view.running && view.running->point == p;
    table.rows.push_back(
        {printable(point.model), std::to_string(point.batch_size), printable(configuration(point)),
         std::to_string(point.devices), speed_or_status(record, summary),
         interval_text(summary.speed),
         summary.speed_up ? fmt::format("{:.2f}", summary.speed_up->value) : std::string(kUnknown),
         fmt::format("{}{}", summary.speed ? summary.speed->launches : 0,
                     running ? ", running" : "")});
  }
  return table;
}

namespace {

// What goes first where the terminal is narrow; the speed never does.
int dispensable(std::string_view column) {
  constexpr std::string_view kOrder[] = {"model", "launches", "speed-up", "batch", "95 %"};
  const auto* const found = std::ranges::find(kOrder, column);
  return found == std::end(kOrder) ? 0 : static_cast<int>(found - std::begin(kOrder)) + 1;
}

std::string words_of(const SweepView& view, bool with_speed) {
  if (view.state == SweepState::waiting) return state_text(view);
  std::string line = fmt::format("[{}/{}] {}", view.done, view.expected, state_text(view));
  if (view.failed > 0) line += fmt::format(", {} failed", counted(view.failed, "point"));
  // The speed first: a narrow terminal cuts off the end.
  if (with_speed && current_speed(view)) line += fmt::format(", {}", speed_now(view));
  if (view.seconds_left) line += fmt::format(", ETA {}", eta_text(view));
  if (view.running) line += fmt::format(": {}", now_text(view));
  if (with_speed && current_speed(view)) line += fmt::format(", step {}", view.running->steps);
  return line;
}

}  // namespace

std::string watch_line(const SweepView& view) {
  return words_of(view, false);
}

std::string watch_table(const SweepView& view, std::size_t width) {
  std::string text = words_of(view, true) + '\n';
  const auto [names, rows] = watch_rows(view);
  if (!rows.empty()) {
    std::vector<Table::Column> columns;
    for (const std::string& name : names) {
      const bool words = name == "model" || name == "strategy" || name == "launches";
      columns.push_back(
          {name, words ? Table::Align::left : Table::Align::right, dispensable(name)});
    }
    Table table(std::move(columns));
    for (const auto& row : rows) table.add(row);
    table.fit(width);
    text += '\n' + table.text();
  }
  for (const std::string& problem : view.problems) text += printable(problem, 300) + '\n';
  return text;
}

}  // namespace lockstep::report
