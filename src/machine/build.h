#pragma once

#include <string>

namespace lockstep::machine {

std::string compiler();  // "gcc 12.2.0"
std::string build();     // "a93adbf Release": commit and type of build

}  // namespace lockstep::machine
