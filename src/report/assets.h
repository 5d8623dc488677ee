#pragma once

#include <string_view>

namespace lockstep::report {

// The files of report/assets, which the build puts into the program.
std::string_view report_css();  // colours of parts are those of the figure step_time
std::string_view report_js();   // makes the page richer where scripts run
std::string_view watch_css();   // where it is dark, colours are those of the drawings
std::string_view watch_js();

}  // namespace lockstep::report
