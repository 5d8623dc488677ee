#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#include "base/getenv.h"

namespace lockstep {

// Whether to colour what goes to a stream: NO_COLOR says no, else CLICOLOR_FORCE says yes, else
// only a terminal gets colours, unless TERM=dumb or CLICOLOR=0.
bool wants_colour(bool is_terminal, const Getenv& getenv);
bool wants_colour(std::FILE* stream);

enum class Colour { red = 31, yellow = 33, cyan = 36 };

// The text in bold and the colour, or as it is.
std::string paint(std::string_view text, Colour colour, bool wanted);

}  // namespace lockstep
