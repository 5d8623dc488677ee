#include <fmt/format.h>

#include <algorithm>

#include "base/table.h"
#include "base/text.h"
#include "report/characters.h"
#include "report/gate_report.h"
#include "report/sweep_report.h"
#include "stats/comparable.h"

namespace lockstep::report {
namespace {

constexpr std::size_t kSentence = 500;

std::string speed(const std::optional<stats::Estimate>& estimate) {
  return estimate ? speed_text(estimate->value) : "-";
}

std::string ratio(const std::optional<stats::Estimate>& estimate) {
  return estimate ? fmt::format("{:.3f}", estimate->value) : "-";
}

std::string interval(const std::optional<stats::Estimate>& estimate) {
  if (!estimate || !estimate->interval) return "-";
  return fmt::format("{:.3f} - {:.3f}", estimate->interval->low, estimate->interval->high);
}

std::string_view outcome(const stats::Gate& gate) {
  if (gate.regression()) return "a regression";
  if (gate.compared() == 0) return "nothing was compared";
  const bool decided = count(gate, "UNDECIDED") < static_cast<int>(gate.rows.size());
  return decided ? "no regression" : "nothing was decided";
}

std::string summary(const stats::Gate& gate) {
  std::vector<std::string> counts;
  for (const char* outcome : {"SLOWER", "FAILED", "UNDECIDED", "SAME", "FASTER"}) {
    const int rows = count(gate, outcome);
    if (rows > 0) counts.push_back(fmt::format("{} {}", rows, outcome));
  }
  return fmt::format("{}: {}\n", outcome(gate), join(counts, ", "));
}

// What is beside a verdict of speeds that were measured under load.
constexpr std::string_view kUnderLoad = " !";

std::string verdict_cell(const stats::GateRow& row) {
  return fmt::format("{}{}", word(row), row.load.empty() ? "" : kUnderLoad);
}

}  // namespace

std::string_view word(stats::Verdict verdict) {
  constexpr std::string_view kWords[] = {"FASTER", "SLOWER", "SAME", "UNDECIDED"};
  return kWords[static_cast<std::size_t>(verdict)];
}

std::string_view word(const stats::GateRow& row) {
  return row.failed ? "FAILED" : word(row.verdict);
}

int count(const stats::Gate& gate, std::string_view outcome) {
  return static_cast<int>(std::ranges::count_if(
      gate.rows, [&](const stats::GateRow& row) { return word(row) == outcome; }));
}

std::string sentence(const stats::GateRow& row) {
  std::string text;
  if (row.ratio) {
    text = fmt::format("{} images/s, {:.1f} % of the baseline's {}", speed(row.candidate),
                       100 * row.ratio->value, speed(row.baseline));
    if (row.ratio->interval) {
      text += fmt::format(" (95 %: {:.1f} - {:.1f} %)", 100 * row.ratio->interval->low,
                          100 * row.ratio->interval->high);
    }
  }
  return stats::clauses({text, row.reason, row.load});
}

std::string gate_table(const GateReport& report, std::size_t width) {
  using enum Table::Align;
  Table table({{"verdict", left},
               {"model", left},
               {"batch", right, 2},
               {"strategy", left},
               {"devices"},
               {"baseline", right, 3},
               {"candidate", right, 4},
               {"ratio"},
               {"95 %", right, 1}});
  std::string reasons;
  const bool loaded = std::ranges::any_of(
      report.gate.rows, [](const stats::GateRow& row) { return !row.load.empty(); });
  for (const stats::GateRow& row : report.gate.rows) {
    table.add({verdict_cell(row), printable(row.point.model),
               fmt::format("{}", row.point.batch_size), printable(configuration(row.point)),
               fmt::format("{}", row.point.devices), speed(row.baseline), speed(row.candidate),
               ratio(row.ratio), interval(row.ratio)});
    if (const std::string reason = stats::clauses({row.reason, row.load}); !reason.empty()) {
      reasons += fmt::format("{} {}: {}\n", verdict_cell(row), printable(row.point.id),
                             printable(reason, kSentence));
    }
  }
  for (const std::string& id : report.gate.added) {
    reasons += fmt::format("not in the baseline: {}\n", printable(id));
  }
  if (const std::vector<std::string> taken = table.fit(width); !taken.empty()) {
    reasons += fmt::format("left out in this narrow terminal: {}\n", join(taken, ", "));
  }
  return fmt::format("baseline {}, candidate {}; images/s of all devices\n\n",
                     printable(report.baseline), printable(report.candidate)) +
         table.text() + '\n' +
         fmt::format("95 %: interval of the ratio; SAME: all of it within {:g} %{}\n",
                     100 * report.min_effect, loaded ? "; !: measured under load" : "") +
         reasons + summary(report.gate);
}

}  // namespace lockstep::report
