#pragma once

#include <string>

namespace lockstep::cli {

std::string program_help();
std::string run_help(bool full);  // full: also the flags without effect and the refused ones
std::string list_help(bool full);
std::string show_help(bool full);
std::string version_help(bool full);
std::string help_help(bool full);

}  // namespace lockstep::cli
