#pragma once

#include <string>
#include <vector>

#include "spec/flags.h"

namespace lockstep::cli {

// A flag's own lines in such a text: how it is spelt, what it does and its default.
std::string flag_help(const spec::Flag& flag);
// Those of all, group by group.
std::string flags_help(const std::vector<const spec::Flag*>& flags);

std::string program_help();
std::string run_help(bool full);  // full: also the flags without effect and the refused ones
std::string list_help(bool full);
std::string show_help(bool full);
std::string version_help(bool full);
std::string help_help(bool full);

}  // namespace lockstep::cli
