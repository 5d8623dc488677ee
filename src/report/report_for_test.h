#pragma once

#include <utility>
#include <vector>

#include "report/sweep_report.h"

namespace lockstep::report {

// Of a sweep of which this came out.
inline SweepReport report_of(const spec::Sweep& sweep, std::vector<stats::PointRecord> records) {
  SweepReport report{.id = "sweep-1",
                     .machine = "lockstep 0.1.0 on host07, 4 cores.",
                     .plan = spec::expand(sweep),
                     .records = std::move(records),
                     .rows = {}};
  report.rows = stats::summarise(report.plan, report.records);
  return report;
}

}  // namespace lockstep::report
