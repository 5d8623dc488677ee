#include "report/conclusions.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text.h"
#include "report/characters.h"
#include "report/row_view.h"
#include "spec/names.h"
#include "spec/strategies.h"
#include "stats/compare.h"
#include "stats/power.h"

namespace lockstep::report {
namespace {

// What a reader would act on: 5 % of speed, 5 points of efficiency.
constexpr double kEffect = 0.05;

std::string conditions(const RowView& row) {
  std::string text = fmt::format("on {}", counted(row.point().devices, "device"));
  if (row.row().scaling == spec::Scaling::strong) text += ", strong scaling";
  if (row.point().input) text += fmt::format(", {} images", name(*row.point().input));
  return text;
}

std::string network_of(const RowView& row) {
  return fmt::format("{}:{}", printable(row.point().model), row.row().series_batch);
}

// "undecided; about 12 more launches of each point (--repeats=15) would decide 5 %".
std::string undecided(const stats::Estimate& ratio, double effect, std::string_view effect_text) {
  if (!ratio.interval) return "undecided; one launch does not show how much launches differ";
  const auto needed = stats::launches_to_decide(ratio, effect);
  if (!needed) return "undecided; the launches differ too much to decide it by more of them";
  const int more = std::max(1, *needed - ratio.launches);
  return fmt::format("undecided; about {} of each point (--repeats={}) would decide {}",
                     counted(more, "more launch"), ratio.launches + more, effect_text);
}

// Of the strategies of a network.
std::string fastest_choice(const RowView& row) {
  const auto labels = [&](const std::vector<std::size_t>& rows) {
    std::vector<std::string> names = {choice_of(row)};
    for (const std::size_t r : rows) names.push_back(choice_of({row.report, r}));
    return join(names, " or ");
  };
  const auto with = [&](std::size_t other) {
    return *stats::compare(stats::speeds(row.record()),
                           stats::speeds(RowView{row.report, other}.record()));
  };
  const std::string where = fmt::format("{} {}", network_of(row), conditions(row));
  const auto& rivals = row.summary().rivals;
  if (rivals.empty()) return fmt::format("{}: {} is the fastest", where, choice_of(row));
  // What needs the most launches decides last.
  const auto spread = [&](std::size_t other) {
    return with(other).ratio.precision().value_or(1e9);
  };
  const std::size_t hardest = *std::ranges::max_element(rivals, {}, spread);
  return fmt::format("{}: {} is the fastest: {}", where, labels(rivals),
                     undecided(with(hardest).ratio, kEffect, "5 %"));
}

// By round; a round without the point or its baseline has none.
stats::Launches efficiencies(const RowView& row) {
  const stats::Launches speed = stats::speeds(row.record());
  const stats::Launches base = stats::speeds(row.report->records[*row.summary().baseline]);
  const double devices = static_cast<double>(row.point().devices) / row.summary().baseline_devices;
  stats::Launches quotients;
  for (std::size_t k = 0; k < std::min(speed.size(), base.size()); ++k) {
    const bool both = speed[k] && base[k];
    quotients.push_back(both ? std::optional(*speed[k] / *base[k] / devices) : std::nullopt);
  }
  return quotients;
}

std::string scales_better(const RowView& better, const RowView& worse) {
  const auto compared = stats::compare(efficiencies(better), efficiencies(worse));
  const double low = worse.summary().efficiency->value;
  const std::string numbers =
      fmt::format("{} against {} {}, {}", percent_text(better.summary().efficiency->value),
                  percent_text(low), conditions(better), choice_of(better));
  const std::string claim =
      fmt::format("{} scales better than {}", network_of(better), network_of(worse));
  if (compared && compared->verdict == stats::Verdict::faster) {
    return fmt::format("{}: {}", claim, numbers);
  }
  const stats::Estimate ratio = compared ? compared->ratio : stats::Estimate{};
  return fmt::format("{}: {} ({})", claim, undecided(ratio, kEffect / low, "5 points"), numbers);
}

// Rows at the largest number of devices above one, without mere limits.
std::vector<RowView> largest(const result::SweepResults& report) {
  int most = 1;
  for (const spec::Row& row : report.plan.rows) {
    most = std::max(most, report.plan.points[row.point].devices);
  }
  std::vector<RowView> rows;
  for (std::size_t r = 0; most > 1 && r < report.rows.size(); ++r) {
    const RowView row{&report, r};
    const bool limit = row.row().is_ceiling || spec::is_ceiling(row.point().strategy);
    if (!limit && row.point().devices == most && row.summary().speed) rows.push_back(row);
  }
  return rows;
}

std::vector<std::string> of_strategies(const std::vector<RowView>& rows) {
  std::vector<std::string> sentences;
  for (const RowView& row : rows) {
    const bool chosen = row.summary().best || !row.summary().rivals.empty();
    if (row.summary().fastest && chosen) sentences.push_back(fastest_choice(row));
  }
  return sentences;
}

// The one that scales best against each other one, where they differ in the network alone.
std::vector<std::string> of_networks(const std::vector<RowView>& rows) {
  std::map<std::string, std::vector<RowView>> groups;
  for (const RowView& row : rows) {
    const bool scales = row.summary().efficiency && row.summary().baseline != row.row().point;
    if (scales) groups[choice_of(row) + conditions(row)].push_back(row);
  }
  std::vector<std::string> sentences;
  for (auto& [key, group] : groups) {
    std::ranges::stable_sort(group, std::ranges::greater(),
                             [](const RowView& row) { return row.summary().efficiency->value; });
    for (std::size_t i = 1; i < group.size(); ++i) {
      sentences.push_back(scales_better(group[0], group[i]));
    }
  }
  return sentences;
}

}  // namespace

std::vector<std::string> conclusions(std::span<const result::SweepResults> reports) {
  constexpr std::size_t kMost = 8;  // of a sweep: more is a table
  std::vector<std::string> all;
  for (const result::SweepResults& report : reports) {
    const std::vector<RowView> rows = largest(report);
    std::vector<std::string> sentences = of_networks(rows);
    std::ranges::move(of_strategies(rows), std::back_inserter(sentences));
    if (sentences.size() > kMost) sentences.resize(kMost);
    for (std::string& sentence : sentences) {
      all.push_back(reports.size() > 1 ? fmt::format("{}: {}", printable(report.id), sentence)
                                       : std::move(sentence));
    }
  }
  return all;
}

}  // namespace lockstep::report
