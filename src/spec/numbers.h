#pragma once

#include <string_view>
#include <vector>

namespace lockstep::spec {

// "1,2.5": numbers above 0; none for empty text. Throws Error(usage) that names what is none.
std::vector<double> parse_numbers(std::string_view text);

}  // namespace lockstep::spec
