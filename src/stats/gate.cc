#include "stats/gate.h"

#include <fmt/format.h>

#include <algorithm>

#include "stats/comparable.h"
#include "stats/why_undecided.h"

namespace lockstep::stats {
namespace {

std::optional<MeasuredPoint> find(const Measurements& measurements, const std::string& id) {
  const auto& points = measurements.plan.points;
  const auto found = std::ranges::find(points, id, &spec::Point::id);
  if (found == points.end()) return std::nullopt;
  return MeasuredPoint{*found,
                       measurements.records[static_cast<std::size_t>(found - points.begin())]};
}

// Measured, or failed at.
bool tried(const PointRecord& record) {
  return !record.failure.empty() || first_launch(record) != nullptr;
}

// The row's verdict and reason, where both have been planned.
void judge(const MeasuredPoint& baseline, const MeasuredPoint& candidate, double min_effect,
           GateRow& row) {
  row.reason = why_no_numbers(baseline.record, "the baseline");
  if (!row.reason.empty()) return;
  row.reason = why_no_numbers(candidate.record, "the candidate");
  row.failed = !candidate.record.failure.empty();
  if (!row.reason.empty()) return;
  row.reason = difference(candidate, baseline).not_comparable();
  if (!row.reason.empty()) return;
  const auto comparison = compare(speeds(candidate.record), speeds(baseline.record), min_effect);
  row.ratio = comparison->ratio;
  row.verdict = comparison->verdict;
  if (row.verdict == Verdict::undecided) row.reason = why_undecided(*row.ratio, min_effect);
  row.load = clauses(
      {under_load(candidate.record, "the candidate"), under_load(baseline.record, "the baseline")});
}

}  // namespace

bool Gate::regression() const {
  return std::ranges::any_of(rows, &GateRow::regression);
}

int Gate::compared() const {
  return static_cast<int>(std::ranges::count_if(rows, &GateRow::compared));
}

Gate gate(const Measurements& baseline, const Measurements& candidate, double min_effect) {
  Gate gate;
  for (std::size_t p = 0; p < baseline.plan.points.size(); ++p) {
    const spec::Point& point = baseline.plan.points[p];
    const MeasuredPoint before{point, baseline.records[p]};
    if (!tried(before.record)) continue;
    GateRow row{.point = point, .baseline = estimate(speeds(before.record))};
    if (const auto now = find(candidate, point.id)) {
      row.candidate = estimate(speeds(now->record));
      judge(before, *now, min_effect, row);
    } else {
      row.reason = "the candidate has no such point";
    }
    gate.rows.push_back(std::move(row));
  }
  for (std::size_t p = 0; p < candidate.plan.points.size(); ++p) {
    const std::string& id = candidate.plan.points[p].id;
    const auto before = find(baseline, id);
    const bool known = before && tried(before->record);
    if (!known && tried(candidate.records[p])) gate.added.push_back(id);
  }
  return gate;
}

}  // namespace lockstep::stats
