#include <fmt/format.h>

#include <algorithm>

#include "report/characters.h"
#include "report/gate_report.h"
#include "report/svg.h"

namespace lockstep::report {
namespace {

constexpr std::size_t kLongestAnnotation = 400;  // of a line for GitHub

// --- JUnit -------------------------------------------------------------------------------------

// As an attribute. A line break in it would be read as a space.
std::string attribute(std::string_view name, std::string_view text) {
  std::string value;
  for (const char c : xml_escaped(text)) {
    if (c == '\n') {
      value += "&#10;";
    } else if (c == '\r') {
      value += "&#13;";
    } else if (c == '\t') {
      value += "&#9;";
    } else {
      value += c;
    }
  }
  return fmt::format(" {}=\"{}\"", name, value);
}

// What a test case says beside its name.
std::string outcome(const stats::GateRow& row) {
  const std::string message = attribute("message", sentence(row));
  if (row.regression()) return fmt::format("<failure type=\"{}\"{}/>", word(row), message);
  if (row.undecided()) return fmt::format("<skipped{}/>", message);
  return fmt::format("<system-out>{}: {}</system-out>", word(row), xml_escaped(sentence(row)));
}

// --- GitHub ------------------------------------------------------------------------------------

// Without what it would take for the end of the command, of its line or of a property.
std::string github_escaped(std::string_view text, bool property) {
  std::string out;
  for (const char c : printable(text, kLongestAnnotation)) {
    const bool special = c == '%' || (property && (c == ':' || c == ','));
    out += special ? fmt::format("%{:02X}", static_cast<unsigned char>(c)) : std::string(1, c);
  }
  return out;
}

std::string_view command(const stats::GateRow& row) {
  if (row.regression()) return "error";
  return row.undecided() ? "warning" : "notice";
}

}  // namespace

std::string gate_junit(const GateReport& report) {
  const auto failures = std::ranges::count_if(report.gate.rows, &stats::GateRow::regression);
  const std::string totals =
      fmt::format(" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\"",
                  report.gate.rows.size(), failures, count(report.gate, "UNDECIDED"));
  std::string cases;
  for (const stats::GateRow& row : report.gate.rows) {
    cases += fmt::format("    <testcase classname=\"lockstep.gate\"{}>{}</testcase>\n",
                         attribute("name", row.point.id), outcome(row));
  }
  const std::string name =
      attribute("name", fmt::format("{} against {}", report.candidate, report.baseline));
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuites name=\"lockstep gate\"{0}>\n  <testsuite{1}{0}>\n{2}  </testsuite>\n"
      "</testsuites>\n",
      totals, name, cases);
}

std::string gate_annotations(const GateReport& report) {
  std::string lines;
  for (const stats::GateRow& row : report.gate.rows) {
    if (!row.failed && row.verdict == stats::Verdict::same) continue;
    lines += fmt::format("::{} title={}::{}\n", command(row),
                         github_escaped(fmt::format("{} {}", word(row), row.point.id), true),
                         github_escaped(sentence(row), false));
  }
  return lines;
}

}  // namespace lockstep::report
