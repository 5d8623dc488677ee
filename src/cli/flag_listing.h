#pragma once

#include <string>

namespace lockstep::cli {

// The table of flags, for people, for programs and as docs/flags.md.
std::string list_flags();
std::string list_flags_json();
std::string list_flags_markdown();

}  // namespace lockstep::cli
