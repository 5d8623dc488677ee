#include "cli/doctor_report.h"

#include <fmt/format.h>

#include "base/terminal.h"
#include "base/text.h"

namespace lockstep::cli {
namespace {

using machine::Finding;
using machine::Level;

constexpr int kBehindFigure = 41;  // columns before a sentence

std::string level_text(Level level, bool colour) {
  const std::string padded = fmt::format("{:<8}", machine::name(level));
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

std::string line(const Finding& finding, bool colour) {
  std::string text = fmt::format("  {}{:<17}{:>13} ", level_text(finding.level, colour),
                                 finding.subject, trim(figure(finding)));
  // What a program says of a failure may have several lines.
  text += join(split(finding.sentence, '\n'), fmt::format("\n{:{}}", "", kBehindFigure)) + '\n';
  if (!finding.remedy.empty()) {
    text += fmt::format("{:{}}{} {}\n", "", kBehindFigure, paint("hint:", Colour::cyan, colour),
                        finding.remedy);
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

std::string counted(int number, std::string_view noun) {
  return fmt::format("{} {}{}", number, noun, number == 1 ? "" : "s");
}

}  // namespace

std::string doctor_table(std::span<const doctor::Examination> examinations, bool colour) {
  std::string text;
  int warnings = 0;
  int problems = 0;
  for (const doctor::Examination& examination : examinations) {
    text += heading(examination);
    for (const Finding& finding : examination.findings) {
      text += line(finding, colour);
      warnings += finding.level == Level::warning ? 1 : 0;
      problems += finding.level == Level::problem ? 1 : 0;
    }
    text += '\n';
  }
  return text + fmt::format("{}, {}\n", counted(problems, "problem"), counted(warnings, "warning"));
}

}  // namespace lockstep::cli
