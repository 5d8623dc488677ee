#pragma once

#include <string>
#include <string_view>

#include "report/evidence.h"

namespace lockstep::report {

// report.html: one file that needs nothing else, neither a network nor scripts. On top all
// warnings; then how fast, how well it scales, what is lost to what, what to try next; then
// figures, all results, configuration and environment, and what the words mean.
std::string report_page(const Evidence& evidence);

// How it looks, and what makes it richer where scripts run: parts of one script.
extern const std::string_view kPageStyle;
extern const std::string_view kPageScript;  // tables that sort, configurations that can be hidden
extern const std::string_view kPageTips;    // what a mark stands for
extern const std::string_view kPageZoom;    // parts of a series of steps; needs the tips

}  // namespace lockstep::report
