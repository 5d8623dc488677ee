#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "report/characters.h"
#include "report/conclusions.h"
#include "report/evidence.h"
#include "report/remarks.h"
#include "report/row_view.h"
#include "spec/names.h"

namespace lockstep::report {
namespace {

// A name that somebody else chose, as text that Markdown takes for nothing else.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : printable(text, 300)) {
    if (std::string_view("\\`*_{}[]<>()#+-!|&~").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

// "30.3 (29.6 - 31.1)"
std::string cell(const std::optional<stats::Estimate>& estimate, std::string (*text)(double)) {
  if (!estimate) return "";
  if (!estimate->interval) return text(estimate->value);
  return fmt::format("{} ({} - {})", text(estimate->value), text(estimate->interval->low),
                     text(estimate->interval->high));
}

std::string speed(const RowView& row) {
  const auto& speed = row.summary().speed;
  return speed ? cell(speed, speed_text) : speed_or_status(row.record(), row.summary());
}

std::string table(const result::SweepResults& sweep) {
  const bool inputs = compares_inputs(sweep);
  std::string text = fmt::format(
      "| model | scaling | batch | strategy | devices | images/s | speed-up | efficiency | of "
      "independent |{}\n|---|---|--:|---|--:|--:|--:|--:|--:|{}\n",
      inputs ? " I/O overhead |" : "", inputs ? "--:|" : "");
  for (std::size_t r = 0; r < sweep.rows.size(); ++r) {
    const RowView row{&sweep, r};
    const std::string strategy = escaped(configuration(row.point()));
    text += fmt::format(
        "| {} | {} | {} | {} | {} | {} | {} | {} | {} |", escaped(row.point().model),
        name(row.row().scaling), row.point().batch_size,
        row.summary().best ? fmt::format("**{}**", strategy) : strategy, row.point().devices,
        speed(row), cell(row.summary().speed_up, ratio_text),
        cell(row.summary().efficiency, percent_text),
        escaped(limit_mark(row.summary())) + cell(row.summary().of_ceiling, percent_text));
    if (inputs) text += fmt::format(" {} |", cell(row.summary().io_overhead, percent_text));
    text += '\n';
  }
  return text;
}

}  // namespace

std::string report_markdown(const Evidence& evidence) {
  std::string text = "# How training scales\n";
  const std::vector<std::string> verdicts = conclusions(evidence.sweeps);
  if (!verdicts.empty()) text += '\n';
  for (const std::string& verdict : verdicts) text += fmt::format("- {}\n", escaped(verdict));
  const std::vector<std::string> all = warnings(evidence);
  if (!all.empty()) text += "\n## Warnings\n\n";
  for (const std::string& warning : all) text += fmt::format("- {}\n", escaped(warning));
  for (const result::SweepResults& sweep : evidence.sweeps) {
    text +=
        fmt::format("\n## {}\n\n{}\n\n{}", escaped(sweep.id), escaped(sweep.machine), table(sweep));
    const std::vector<std::string> notes = remarks(sweep);
    if (!notes.empty()) text += '\n';
    for (const std::string& note : notes) text += fmt::format("- {}\n", escaped(note));
  }
  text +=
      "\nIn parentheses: 95 % intervals over launches. Bold: faster than all others with as many "
      "devices, by more than launches differ.\n";
  for (const Figure& figure : figures(evidence)) {
    text += fmt::format("\n![{}]({}.svg)\n", figure.title, figure.name);
  }
  return text;
}

}  // namespace lockstep::report
