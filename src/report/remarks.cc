#include "report/remarks.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "report/characters.h"

namespace lockstep::report {
namespace {

struct LimitMark {
  std::string_view mark;
  std::string_view meaning;
};
constexpr LimitMark kWithinNoise = {
    "^",
    "above the speed of independent devices by no more than launches differ: the 95 % "
    "interval includes 100 %"};
constexpr LimitMark kOfOneLaunch = {
    "?", "above the speed of independent devices, and one launch does not show whether by chance"};
constexpr LimitMark kAbove = {
    "!",
    "above the speed of independent devices by more than launches differ: these wait for "
    "nobody and so compete for memory at the same time, or something else slowed them down; "
    "it is not a limit here"};

const LimitMark* limit_mark_of(const stats::RowSummary& row) {
  // What is shown as 100.0 % needs no explanation.
  if (!row.of_ceiling || percent_text(row.of_ceiling->value) == "100.0 %") return nullptr;
  if (row.of_ceiling->value < 1) return nullptr;
  if (!row.of_ceiling->interval) return &kOfOneLaunch;
  return row.of_ceiling->interval->low <= 1 ? &kWithinNoise : &kAbove;
}

// "mobilenet: speed-ups of all strategies refer to replicated on 1 device", where strategies share
// it.
std::vector<std::string> shared_baselines(const result::SweepResults& report) {
  std::vector<std::string> sentences;
  for (std::size_t r = 0; r < report.rows.size(); ++r) {
    const spec::Row& row = report.plan.rows[r];
    const auto& baseline = report.rows[r].baseline;
    if (row.is_ceiling || !baseline || baseline == row.baseline) continue;
    const spec::Point& point = report.plan.points[*baseline];
    std::string sentence = fmt::format(
        "{}, batch {}: speed-ups of all strategies refer to {} on {}, where they do the same work",
        printable(point.model), point.batch_size, printable(configuration(point)),
        counted(point.devices, "device"));
    if (std::ranges::count(sentences, sentence) == 0) sentences.push_back(std::move(sentence));
  }
  return sentences;
}

// "resnet50, batch 64: speed-ups refer to 4 devices, the fewest that were measured".
std::vector<std::string> large_baselines(const result::SweepResults& report) {
  std::vector<std::string> sentences;
  for (std::size_t r = 0; r < report.rows.size(); ++r) {
    const auto& baseline = report.rows[r].baseline;
    if (report.plan.rows[r].is_ceiling || !baseline) continue;
    const spec::Point& point = report.plan.points[*baseline];
    if (point.devices == 1) continue;
    std::string sentence = fmt::format(
        "{}, batch {}: speed-ups and efficiencies refer to {} devices, the fewest measured",
        printable(point.model), point.batch_size, point.devices);
    if (std::ranges::count(sentences, sentence) == 0) sentences.push_back(std::move(sentence));
  }
  return sentences;
}

bool lacks_partners(const result::SweepResults& report, std::size_t r) {
  const stats::RowSummary& row = report.rows[r];
  if (!row.speed_up || row.baseline == report.plan.rows[r].point) return false;
  const auto baseline = stats::estimate(stats::speeds(report.records[*row.baseline]));
  return row.speed_up->launches < std::max(row.speed->launches, baseline->launches);
}

}  // namespace

std::string_view limit_mark(const stats::RowSummary& row) {
  const LimitMark* mark = limit_mark_of(row);
  return mark == nullptr ? "" : mark->mark;
}

std::string of_limit_text(const stats::RowSummary& row) {
  if (!row.of_ceiling) return {};
  return fmt::format("{}{}", limit_mark(row), percent_text(row.of_ceiling->value));
}

std::vector<std::string> remarks(const result::SweepResults& report, bool marks) {
  std::vector<std::string> sentences;
  for (const LimitMark* mark : {&kWithinNoise, &kOfOneLaunch, &kAbove}) {
    if (!marks || std::ranges::count(report.rows, mark, limit_mark_of) == 0) continue;
    sentences.push_back(fmt::format("{}: {}", mark->mark, mark->meaning));
  }
  std::ranges::copy(shared_baselines(report), std::back_inserter(sentences));
  std::ranges::copy(large_baselines(report), std::back_inserter(sentences));
  for (std::size_t r = 0; r < report.rows.size(); ++r) {
    if (!lacks_partners(report, r)) continue;
    sentences.emplace_back(
        "some rounds are incomplete: speed-ups are quotients of the speeds shown, over all "
        "launches; their intervals are those of launches of the same round, extended to them");
    break;
  }
  return sentences;
}

}  // namespace lockstep::report
