#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/sweep_report.h"
#include "stats/gate.h"

namespace lockstep::report {

// What a gate came to, and of what.
struct GateReport {
  std::string baseline, candidate;                  // what they are called
  std::string baseline_machine, candidate_machine;  // where they were measured, in one line
  double min_effect = 0;
  stats::Gate gate;
  std::vector<std::string> problems = {};  // files that were left out
};

// "SLOWER", "FAILED": what it came to, in one word.
std::string_view word(stats::Verdict verdict);
std::string_view word(const stats::GateRow& row);
// The same in a sentence: by how much, how certain, or why not.
std::string sentence(const stats::GateRow& row);

// How many rows came to that.
int count(const stats::Gate& gate, std::string_view word);

// For people: a line for each point, then the reasons, then what it comes to. Columns that a
// terminal of this width has no room for are left out.
std::string gate_table(const GateReport& report, std::size_t width = kAnyWidth);

// For programs, one document: docs/formats.md.
inline constexpr int kGateVersion = 1;
std::string gate_json(const GateReport& report);

// For CI: a test case for each point. A regression is a failure, what is undecided is skipped.
std::string gate_junit(const GateReport& report);

// For GitHub's CI: a line for each point that is not the same, which it shows beside the change.
std::string gate_annotations(const GateReport& report);

}  // namespace lockstep::report
