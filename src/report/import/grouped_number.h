#pragma once

#include <optional>
#include <string_view>

namespace lockstep::report {

// The whole text as a finite number, also one with its thousands apart: "2,510.0", "2'510",
// "2_510", or with points between them and a comma before the decimals: "2.510,0".
std::optional<double> grouped_number(std::string_view text);

// The longest number with its thousands apart that `part`, which lies within `line`, belongs to;
// `part` itself where there is none.
std::string_view number_around(std::string_view line, std::string_view part);

}  // namespace lockstep::report
