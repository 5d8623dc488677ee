#pragma once

#include <string>

#include "report/evidence.h"

namespace lockstep::report {

// report.html: one file that needs nothing else, neither a network nor scripts. On top all
// warnings; then how fast, how well it scales, what is lost to what, what to try next; then
// figures, all results, configuration and environment, and what the words mean.
std::string report_page(const Evidence& evidence);

}  // namespace lockstep::report
