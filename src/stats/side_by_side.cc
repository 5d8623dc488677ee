#include "stats/side_by_side.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "base/text.h"
#include "spec/names.h"
#include "stats/comparable.h"
#include "stats/why_undecided.h"

namespace lockstep::stats {
namespace {

// A row with all that is known of it.
struct Place {
  const Contender* contender = nullptr;
  std::size_t index = 0;

  const spec::Row& row() const { return contender->measurements.plan.rows[index]; }
  const spec::Point& point() const { return contender->measurements.plan.points[row().point]; }
  const PointRecord& record() const { return contender->measurements.records[row().point]; }
  MeasuredPoint measured() const { return {point(), record()}; }
  const RowSummary& summary() const { return contender->rows[index]; }
  auto workload() const { return std::tie(point().model, row().scaling, row().series_batch); }
};

std::vector<Place> choices(const Contender& contender) {
  std::vector<Place> places;
  for (std::size_t r = 0; r < contender.measurements.plan.rows.size(); ++r) {
    if (!contender.measurements.plan.rows[r].is_ceiling) places.push_back({&contender, r});
  }
  return places;
}

bool same_configuration(const spec::Point& a, const spec::Point& b) {
  return std::tie(a.strategy, a.num_ps, a.data_format, a.input) ==
         std::tie(b.strategy, b.num_ps, b.data_format, b.input);
}

// What a row is compared with, or why there is nothing.
struct Opponent {
  std::optional<Place> place = {};
  std::string reason = {};
};

Opponent opponent_of(const Place& mine, const Contender& first) {
  std::vector<Place> left = choices(first);
  const auto keep = [&](auto same) {
    std::erase_if(left, [&](const Place& theirs) { return !same(theirs); });
    return !left.empty();
  };
  const auto nothing = [&](const std::string& what) {
    return Opponent{.reason = fmt::format("{} has {}", first.name, what)};
  };
  if (!keep([&](const Place& theirs) { return theirs.point().model == mine.point().model; })) {
    return nothing("another network");
  }
  if (!keep([&](const Place& theirs) { return theirs.row().scaling == mine.row().scaling; })) {
    return nothing(fmt::format("no {} scaling", name(mine.row().scaling)));
  }
  const int other_batch = left.front().row().series_batch;
  if (!keep([&](const Place& theirs) {
        return theirs.row().series_batch == mine.row().series_batch;
      })) {
    return nothing(fmt::format("a batch of {}, not {}", other_batch, mine.row().series_batch));
  }
  if (!keep([&](const Place& theirs) { return theirs.point().devices == mine.point().devices; })) {
    return nothing("no point with " + counted(mine.point().devices, "device"));
  }
  for (const Place& theirs : left) {
    if (same_configuration(theirs.point(), mine.point())) return {.place = theirs};
  }
  if (left.size() == 1) return {.place = left.front()};
  return nothing("several other strategies");
}

// Speed-ups of the two rows refer to different numbers of devices.
std::string other_baseline(const Place& mine, const Place& theirs) {
  const int ours = mine.summary().baseline_devices;
  const int first = theirs.summary().baseline_devices;
  if (ours == 0 || first == 0 || ours == first) return {};
  return fmt::format("its speed-up refers to {}, not {}", counted(ours, "device"), first);
}

void compare_with_first(const Place& mine, const Contender& first, double min_effect,
                        SideBySideRow& row) {
  if (!mine.summary().speed) return;  // the row itself says so
  const Opponent opponent = opponent_of(mine, first);
  row.note = opponent.reason;
  if (!opponent.place) return;
  const Place& theirs = *opponent.place;
  row.note = why_no_numbers(theirs.record(), first.name);
  if (!row.note.empty()) return;
  const Difference other = difference(mine.measured(), theirs.measured());
  // Machines of other sizes are what is compared, and so are the devices that are parts of them.
  const bool of_machines = other.work.empty() && !other.machines.empty();
  row.note = of_machines ? std::string() : other.not_comparable();
  row.refused = !row.note.empty();
  if (row.refused) return;
  row.with_first = compare(speeds(mine.record()), speeds(theirs.record()), min_effect);
  row.note = clauses(
      {other.configuration, other.machines, other.devices, other_baseline(mine, theirs),
       row.with_first->verdict == Verdict::undecided
           ? why_undecided(row.with_first->ratio, min_effect)
           : std::string(),
       under_load(mine.record(), mine.contender->name), under_load(theirs.record(), first.name)});
}

}  // namespace

std::vector<SideBySideRow> side_by_side(std::span<const Contender> contenders, double min_effect) {
  std::vector<Place> places;
  for (const Contender& contender : contenders) {
    for (const Place& place : choices(contender)) places.push_back(place);
  }
  // Workloads in the order in which they first appear.
  const auto rank = [&](const Place& place) {
    const auto first = std::ranges::find_if(
        places, [&](const Place& other) { return other.workload() == place.workload(); });
    return std::pair(first - places.begin(), place.point().devices);
  };
  std::vector<std::size_t> order(places.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return rank(places[i]); });

  std::vector<SideBySideRow> rows;
  for (const std::size_t i : order) {
    const Place& place = places[i];
    rows.push_back({.contender = static_cast<std::size_t>(place.contender - contenders.data()),
                    .row = place.index});
    if (rows.back().contender > 0) {
      compare_with_first(place, contenders.front(), min_effect, rows.back());
    }
  }
  return rows;
}

}  // namespace lockstep::stats
