#include "stats/gate.h"

#include <fmt/format.h>

#include <algorithm>

#include "stats/comparable.h"

namespace lockstep::stats {
namespace {

struct Measured {
  const spec::Point& point;
  const PointRecord& record;
};

std::optional<Measured> find(const Measurements& measurements, const std::string& id) {
  const auto& points = measurements.plan.points;
  const auto found = std::ranges::find(points, id, &spec::Point::id);
  if (found == points.end()) return std::nullopt;
  return Measured{*found, measurements.records[static_cast<std::size_t>(found - points.begin())]};
}

// Measured, or failed at.
bool tried(const PointRecord& record) {
  return !record.failure.empty() || first_launch(record) != nullptr;
}

// Why a ratio with this interval, or none, decides nothing.
std::string undecided_reason(const Estimate& ratio) {
  if (ratio.interval) {
    return fmt::format("the interval over {} launches is too wide: more launches narrow it",
                       ratio.launches);
  }
  return "one launch of each does not tell how much launches differ anyway";
}

// The row's verdict and reason, where both have been planned.
void judge(const Measured& baseline, const Measured& candidate, double min_effect, GateRow& row) {
  row.reason = why_no_numbers(baseline.record, "the baseline");
  if (!row.reason.empty()) return;
  row.reason = why_no_numbers(candidate.record, "the candidate");
  row.failed = !candidate.record.failure.empty();
  if (!row.reason.empty()) return;
  row.reason = clauses({other_work(*first_launch(candidate.record), *first_launch(baseline.record)),
                        other_devices(candidate.point, baseline.point)});
  if (!row.reason.empty()) {
    row.reason = "not comparable: " + row.reason;
    return;
  }
  const auto comparison = compare(speeds(candidate.record), speeds(baseline.record), min_effect);
  row.ratio = comparison->ratio;
  row.verdict = comparison->verdict;
  if (row.verdict == Verdict::undecided) row.reason = undecided_reason(*row.ratio);
}

}  // namespace

bool Gate::regression() const {
  return std::ranges::any_of(rows, &GateRow::regression);
}

Gate gate(const Measurements& baseline, const Measurements& candidate, double min_effect) {
  Gate gate;
  for (std::size_t p = 0; p < baseline.plan.points.size(); ++p) {
    const spec::Point& point = baseline.plan.points[p];
    const Measured before{point, baseline.records[p]};
    if (!tried(before.record)) continue;
    GateRow row{.point = point, .baseline = estimate(speeds(before.record))};
    if (const auto now = find(candidate, point.id)) {
      row.candidate = estimate(speeds(now->record));
      judge(before, *now, min_effect, row);
      ++gate.compared;
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
