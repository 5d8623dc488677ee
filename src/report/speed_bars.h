#pragma once

#include <string>

#include "report/sweep_report.h"

namespace lockstep::report {

// The speeds as bars for a terminal of this width, a panel for each network, with their 95 %
// intervals. Points without a speed say why.
std::string speed_bars(const result::SweepResults& report, std::size_t width, bool colour);

}  // namespace lockstep::report
