#include "cli/doctor_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/terminal.h"
#include "base/text.h"

namespace lockstep::cli {
namespace {

using machine::Finding;
using machine::Level;

constexpr std::size_t kWidest = 100, kNarrowest = 70;
constexpr std::size_t kMargin = 43;  // columns before a sentence

std::string level_text(Level level, bool colour) {
  std::string padded = fmt::format("{:<8}", machine::name(level));
  switch (level) {
    case Level::ok:
      break;
    case Level::warning:
      return paint(padded, Colour::yellow, colour);
    case Level::problem:
      return paint(padded, Colour::red, colour);
  }
  return padded;
}

// Three digits are more than any of these figures has; whole numbers are shown whole.
std::string figure(const Finding& finding) {
  if (!finding.value) return {};
  const double value = *finding.value;
  const int decimals = value == static_cast<double>(static_cast<std::int64_t>(value)) ? 0
                       : value >= 100 || value <= -100                                ? 0
                       : value >= 10 || value <= -10                                  ? 1
                                                                                      : 2;
  return fmt::format("{:.{}f} {}", value, decimals, finding.unit);
}

// Lines after the margin. What a program says of a failure may have several.
std::string after_margin(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  for (const std::string& line : split(text, '\n')) {
    for (std::string& part : wrap(line, width - kMargin)) lines.push_back(std::move(part));
  }
  return join(lines, fmt::format("\n{:{}}", "", kMargin)) + '\n';
}

std::string line(const Finding& finding, bool colour, std::size_t width) {
  constexpr std::string_view kHint = "hint:";
  std::string text = fmt::format("  {}{:<17}{:>14}  ", level_text(finding.level, colour),
                                 finding.subject, trim(figure(finding)));
  text += after_margin(finding.sentence, width);
  if (!finding.remedy.empty()) {
    std::string hint = after_margin(fmt::format("{} {}", kHint, finding.remedy), width);
    hint.replace(0, kHint.size(), paint(kHint, Colour::cyan, colour));
    text += std::string(kMargin, ' ') + hint;
  }
  return text;
}

std::string heading(const doctor::Examination& examination) {
  std::string text = examination.host + (examination.here ? " (this machine)" : "");
  if (examination.environment.contains("cpu_model")) {
    text += ", " + examination.environment.at("cpu_model").get<std::string>();
  }
  return text + '\n';
}

}  // namespace

std::string doctor_table(std::span<const doctor::Examination> examinations, bool colour,
                         std::size_t width) {
  width = std::clamp(width, kNarrowest, kWidest);
  std::string text;
  int warnings = 0;
  int problems = 0;
  for (const doctor::Examination& examination : examinations) {
    text += heading(examination);
    for (const Finding& finding : examination.findings) {
      text += line(finding, colour, width);
      warnings += finding.level == Level::warning ? 1 : 0;
      problems += finding.level == Level::problem ? 1 : 0;
    }
    text += '\n';
  }
  return text + fmt::format("{}, {}\n", counted(problems, "problem"), counted(warnings, "warning"));
}

}  // namespace lockstep::cli
