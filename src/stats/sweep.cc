#include "stats/sweep.h"

#include <map>
#include <tuple>

#include "base/check.h"

namespace lockstep::stats {
namespace {

// Independent devices are their own ceiling; the baseline has no neighbours that it could suffer
// from.
Surroundings surroundings(const spec::Plan& plan, const spec::Row& row,
                          std::span<const PointRecord> records) {
  Surroundings around;
  if (!row.baseline || row.point == *row.baseline) return around;
  const bool independent = plan.points[row.point].strategy == "independent";
  const auto ceiling = independent ? std::optional(row.point) : row.ceiling;
  around.baseline = &records[*row.baseline];
  around.ceiling = ceiling ? &records[*ceiling] : nullptr;
  around.device_ratio =
      static_cast<double>(plan.points[row.point].devices) / plan.points[*row.baseline].devices;
  return around;
}

RowSummary summarise_row(const spec::Plan& plan, const spec::Row& row,
                         std::span<const PointRecord> records, std::span<const Launches> speed) {
  RowSummary summary;
  summary.speed = estimate(speed[row.point]);
  if (!summary.speed) return summary;
  if (row.baseline) {
    const double devices = plan.points[row.point].devices;
    summary.baseline_devices = plan.points[*row.baseline].devices;
    // A point compared with itself is 1 exactly, and nothing is uncertain about that.
    summary.speed_up =
        row.point == *row.baseline
            ? Estimate{.value = 1, .interval = std::nullopt, .launches = summary.speed->launches}
            : ratio(speed[row.point], speed[*row.baseline]);
    if (summary.speed_up) {
      summary.efficiency = scaled(*summary.speed_up, summary.baseline_devices / devices);
    }
  }
  if (row.ceiling) summary.of_ceiling = ratio(speed[row.point], speed[*row.ceiling]);
  if (row.synthetic) {
    if (const auto kept = ratio(speed[row.point], speed[*row.synthetic])) {
      summary.io_overhead = complement(*kept);
    }
  }
  summary.losses = losses(records[row.point], surroundings(plan, row, records));
  return summary;
}

// Configurations that could stand for each other: same network, batch, scaling, images and
// devices.
void mark_best(const spec::Plan& plan, std::vector<RowSummary>& summaries) {
  struct Group {
    std::size_t best = 0;
    int choices = 0;
  };
  using Key = std::tuple<std::string, spec::Scaling, int, std::optional<spec::InputKind>, int>;
  std::map<Key, Group> groups;
  for (std::size_t r = 0; r < plan.rows.size(); ++r) {
    const spec::Row& row = plan.rows[r];
    const spec::Point& point = plan.points[row.point];
    if (row.is_ceiling || point.strategy == "independent" || !summaries[r].speed) continue;
    Group& group = groups[{point.model, row.scaling, row.series_batch, point.input, point.devices}];
    if (group.choices++ == 0 || summaries[r].speed->value > summaries[group.best].speed->value) {
      group.best = r;
    }
  }
  for (const auto& [key, group] : groups) summaries[group.best].best = group.choices > 1;
}

}  // namespace

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

std::optional<double> mean_over_launches(const PointRecord& record, const LaunchFigure& figure) {
  if (!record.failure.empty()) return std::nullopt;
  double sum = 0;
  int launches = 0;
  for (const auto& launch : record.launches) {
    if (!launch) continue;
    const auto value = launch->imported ? std::nullopt : figure(*launch);
    if (!value) return std::nullopt;
    sum += *value;
    ++launches;
  }
  return launches > 0 ? std::optional(sum / launches) : std::nullopt;
}

std::vector<RowSummary> summarise(const spec::Plan& plan, std::span<const PointRecord> records) {
  LOCKSTEP_CHECK(records.size() == plan.points.size());
  std::vector<Launches> speed;
  for (const PointRecord& record : records) speed.push_back(speeds(record));
  std::vector<RowSummary> summaries;
  for (const spec::Row& row : plan.rows) {
    summaries.push_back(summarise_row(plan, row, records, speed));
  }
  mark_best(plan, summaries);
  return summaries;
}

}  // namespace lockstep::stats
