#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "report/sweep_report.h"

namespace lockstep::report {

// The steps of rank 0 in the first launch of a point.
struct StepSeries {
  std::string run, point;  // `id`s of the report and of the point
  std::string title, subtitle;
  std::string configuration;
  std::string date;         // of the launch's start
  std::int64_t warmup = 0;  // the first so many came before the timed ones
  std::int64_t cut = 0;     // so many timed ones behind them were left out
  std::vector<double> ms;
};

// Of all points of a directory's report that have a launch with samples. A samples file that cannot
// be read is named in `problems` and costs its series.
std::vector<StepSeries> read_step_series(const std::filesystem::path& directory,
                                         const result::SweepResults& report,
                                         std::vector<std::string>& problems);

}  // namespace lockstep::report
