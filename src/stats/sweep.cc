#include "stats/sweep.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/check.h"
#include "spec/strategies.h"
#include "stats/compare.h"

namespace lockstep::stats {
namespace {

// Several devices that nothing else is measured against show no scaling: they are their own
// baseline in name alone. One device is what every speed-up is about.
bool stands_alone(const spec::Plan& plan, const spec::Row& row) {
  return row.baseline == row.point && plan.points[row.point].devices > 1 &&
         std::ranges::none_of(plan.rows, [&](const spec::Row& other) {
           return other.baseline == row.point && other.point != row.point;
         });
}

// The point that a row's speed-ups refer to. Strategies that do the same work on one device share
// the first of these points that has numbers: otherwise chance would decide which scales better.
std::optional<std::size_t> baseline_of(const Measurements& measurements, const spec::Row& row,
                                       std::span<const Launches> speed) {
  if (!row.baseline || stands_alone(measurements.plan, row)) return std::nullopt;
  for (std::size_t p = 0; p < measurements.plan.points.size(); ++p) {
    if (same_work(measurements, p, *row.baseline) && estimate(speed[p])) return p;
  }
  return row.baseline;
}

// Independent devices are their own ceiling; the baseline has no neighbours that it could suffer
// from.
Surroundings surroundings(const Measurements& measurements, const spec::Row& row,
                          std::size_t baseline) {
  const auto& [plan, records] = measurements;
  Surroundings around;
  if (row.point == baseline) return around;
  const bool independent = spec::is_ceiling(plan.points[row.point].strategy);
  const auto ceiling = independent ? std::optional(row.point) : row.ceiling;
  around.baseline = &records[baseline];
  around.ceiling = ceiling ? &records[*ceiling] : nullptr;
  around.device_ratio =
      static_cast<double>(plan.points[row.point].devices) / plan.points[baseline].devices;
  return around;
}

RowSummary summarise_row(const Measurements& measurements, const spec::Row& row,
                         std::span<const Launches> speed) {
  const auto& [plan, records] = measurements;
  RowSummary summary;
  summary.speed = estimate(speed[row.point]);
  if (!summary.speed) return summary;
  summary.baseline = baseline_of(measurements, row, speed);
  Surroundings around;
  if (summary.baseline) {
    const std::size_t baseline = *summary.baseline;
    const double devices = plan.points[row.point].devices;
    summary.baseline_devices = plan.points[baseline].devices;
    // A point compared with itself is 1 exactly, and nothing is uncertain about that.
    summary.speed_up =
        row.point == baseline
            ? Estimate{.value = 1, .interval = std::nullopt, .launches = summary.speed->launches}
            : ratio(speed[row.point], speed[baseline]);
    if (summary.speed_up) {
      summary.efficiency = scaled(*summary.speed_up, summary.baseline_devices / devices);
    }
    around = surroundings(measurements, row, baseline);
  }
  if (row.ceiling) summary.of_ceiling = ratio(speed[row.point], speed[*row.ceiling]);
  if (row.synthetic) {
    if (const auto kept = ratio(speed[row.point], speed[*row.synthetic])) {
      summary.io_overhead = complement(*kept);
    }
  }
  summary.losses = losses(records[row.point], around);
  return summary;
}

// Rows of configurations that could stand for each other, one for each kind of work.
using Choices = std::vector<std::size_t>;

std::vector<Choices> choices_of(const Measurements& measurements,
                                std::span<const RowSummary> summaries) {
  const spec::Plan& plan = measurements.plan;
  using Key = std::tuple<std::string, spec::Scaling, int, std::optional<spec::InputKind>, int>;
  std::map<Key, Choices> groups;
  for (std::size_t r = 0; r < plan.rows.size(); ++r) {
    const spec::Row& row = plan.rows[r];
    const spec::Point& point = plan.points[row.point];
    if (row.is_ceiling || spec::is_ceiling(point.strategy) || !summaries[r].speed) continue;
    Choices& group =
        groups[{point.model, row.scaling, row.series_batch, point.input, point.devices}];
    const bool known = std::ranges::any_of(group, [&](std::size_t other) {
      return same_work(measurements, plan.rows[other].point, row.point);
    });
    if (!known) group.push_back(r);
  }
  std::vector<Choices> all;
  for (auto& [key, group] : groups) all.push_back(std::move(group));
  return all;
}

// One of several is the best where the launches show that all others are slower.
void mark_best(const Measurements& measurements, std::span<const Launches> speed,
               std::vector<RowSummary>& summaries) {
  const auto speed_of = [&](std::size_t row) { return summaries[row].speed->value; };
  const auto launches_of = [&](std::size_t row) -> const Launches& {
    return speed[measurements.plan.rows[row].point];
  };
  for (const Choices& choices : choices_of(measurements, summaries)) {
    const std::size_t fastest = *std::ranges::max_element(choices, {}, speed_of);
    RowSummary& summary = summaries[fastest];
    summary.fastest = true;
    for (const std::size_t other : choices) {
      if (other == fastest) continue;
      const auto compared = compare(launches_of(other), launches_of(fastest));
      if (compared->verdict != Verdict::slower) summary.rivals.push_back(other);
    }
    summary.best = choices.size() > 1 && summary.rivals.empty();
  }
}

}  // namespace

Status status(const PointRecord& record) {
  if (!record.failure.empty()) return Status::failed;
  return first_launch(record) != nullptr ? Status::measured : Status::not_measured;
}

const Launch* first_launch(const PointRecord& record) {
  for (const auto& launch : record.launches) {
    if (launch) return &*launch;
  }
  return nullptr;
}

Launches speeds(const PointRecord& record) {
  Launches values;
  if (!record.failure.empty()) return values;
  for (const auto& launch : record.launches) {
    values.push_back(launch ? std::optional(launch->images_per_second) : std::nullopt);
  }
  return values;
}

bool same_work(const Measurements& measurements, std::size_t point, std::size_t other) {
  const auto imported = [&](std::size_t p) {
    const Launch* launch = first_launch(measurements.records[p]);
    return launch != nullptr && launch->imported;
  };
  const auto& points = measurements.plan.points;
  return !imported(point) && !imported(other) && spec::same_work(points[point], points[other]);
}

std::vector<RowSummary> summarise(const spec::Plan& plan, std::span<const PointRecord> records) {
  LOCKSTEP_CHECK(records.size() == plan.points.size());
  const Measurements measurements{plan, records};
  std::vector<Launches> speed;
  for (const PointRecord& record : records) speed.push_back(speeds(record));
  std::vector<RowSummary> summaries;
  for (const spec::Row& row : plan.rows) {
    summaries.push_back(summarise_row(measurements, row, speed));
  }
  mark_best(measurements, speed, summaries);
  return summaries;
}

}  // namespace lockstep::stats
