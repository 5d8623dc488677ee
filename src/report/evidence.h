#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "report/collectives.h"
#include "report/figure.h"
#include "report/step_series.h"
#include "report/sweep_report.h"

namespace lockstep::report {

// Under which circumstances results came about, as far as their directory tells.
struct Provenance {
  using Lines = std::vector<std::pair<std::string, std::string>>;  // names and values
  Lines options;                                                   // of the sweep or the run
  Lines environment;                                               // of its first launch
  std::vector<std::string> command;                                // that started this launch
};

// All that a report is drawn from.
struct Evidence {
  std::vector<result::SweepResults> sweeps;  // a run is one of a single point
  std::vector<Provenance> provenances;       // by sweep
  std::vector<StepSeries> steps;
  std::vector<Collectives> collectives = {};
  std::vector<std::string> problems;  // files that were left out, and what was expected of them
};

// Adds what a directory holds: those of a sweep or a run, of collectives, or both. Throws
// Error(usage) for one that holds no results.
void add_results(const std::filesystem::path& directory, Evidence& evidence);

// Those that there is something to draw for.
std::vector<Figure> figures(const Evidence& evidence);

// All that a reader must be warned of: files left out, points that failed, what the machine and the
// launches were warned of; what was said of several points, once.
std::vector<std::string> warnings(const Evidence& evidence);

// report.md: verdicts, warnings, tables and figures in Markdown.
std::string report_markdown(const Evidence& evidence);

// report.tex: verdicts and tables as a LaTeX document that needs booktabs and no more.
std::string report_tex(const Evidence& evidence);

}  // namespace lockstep::report
