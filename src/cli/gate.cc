#include "cli/gate.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/files.h"
#include "base/streams.h"
#include "base/terminal.h"
#include "cli/gate_options.h"
#include "cli/load_results.h"
#include "report/characters.h"
#include "report/gate_report.h"

namespace lockstep::cli {
namespace {

using result::SweepResults;

std::string machine_of(const result::SweepResults& report) {
  for (const stats::PointRecord& record : report.records) {
    if (const stats::Launch* launch = stats::first_launch(record)) return launch->machine;
  }
  return {};
}

void warn_of_other_machine(const result::SweepResults& baseline,
                           const result::SweepResults& candidate) {
  const std::string before = machine_of(baseline);
  const std::string now = machine_of(candidate);
  if (before.empty() || now.empty() || before == now) return;
  print_warning(fmt::format("the machines differ: {}; {}", report::printable(before, 200),
                            report::printable(now, 200)));
}

ExitCode exit_code(const stats::Gate& gate, bool strict) {
  if (gate.regression()) return ExitCode::gate_failed;
  const bool undecided = std::ranges::any_of(gate.rows, &stats::GateRow::undecided);
  return strict && undecided ? ExitCode::unstable : ExitCode::ok;
}

}  // namespace

ExitCode gate(Arguments arguments, Transports) {
  const GateOptions options = parse_gate(arguments, process_getenv);
  const result::ResultDirectory baseline = load_results(options.baseline);
  const result::ResultDirectory candidate = load_results(options.candidate);
  warn_of_other_machine(baseline.sweep, candidate.sweep);
  report::GateReport gate{
      .baseline = baseline.sweep.id,
      .candidate = candidate.sweep.id,
      .baseline_machine = baseline.sweep.machine,
      .candidate_machine = candidate.sweep.machine,
      .min_effect = options.min_effect,
      .gate = stats::gate({baseline.sweep.plan, baseline.sweep.records},
                          {candidate.sweep.plan, candidate.sweep.records}, options.min_effect),
      .problems = baseline.problems};
  gate.problems.insert(gate.problems.end(), candidate.problems.begin(), candidate.problems.end());
  if (options.json) {
    print_output("{}\n", report::gate_json(gate));
  } else {
    print_output("{}", report::gate_table(gate, output_width()));
  }
  if (options.annotations) print_output("{}", report::gate_annotations(gate));
  if (!options.junit.empty()) write_file(options.junit, report::gate_junit(gate));
  if (gate.gate.compared() == 0) {
    throw Error(
        ExitCode::usage,
        fmt::format("nothing of {} was compared with {}", options.candidate, options.baseline),
        "points are compared that are equal in network, batch, devices, threads per device "
        "and strategy");
  }
  return exit_code(gate.gate, options.strict);
}

}  // namespace lockstep::cli
