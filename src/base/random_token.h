#pragma once

#include <string>

namespace lockstep {

// 32 hexadecimal digits that nobody can guess.
std::string random_token();

}  // namespace lockstep
