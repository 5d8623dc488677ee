#pragma once

#include <string>
#include <string_view>

namespace lockstep {

// A text as a part of a file's name: letters and digits of ASCII and . _ - stay.
std::string file_name(std::string_view text);           // all else becomes _
std::string distinct_file_name(std::string_view text);  // %20: different texts stay different

}  // namespace lockstep
