#pragma once

#include <cstddef>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

#include "base/getenv.h"

namespace lockstep {

// Whether to colour what goes to a stream: NO_COLOR says no, else CLICOLOR_FORCE says yes, else
// only a terminal gets colours, unless TERM=dumb or CLICOLOR=0.
bool wants_colour(bool is_terminal, const Getenv& getenv);
bool wants_colour(std::FILE* stream);

// How wide the terminal is; nothing where the stream is not one.
std::optional<std::size_t> terminal_columns(std::FILE* stream);

// The same of standard output; any width where it is not a terminal: a file has no edge.
std::size_t output_width();

enum class Colour { red = 31, yellow = 33, cyan = 36 };

// The text in bold and the colour, or as it is.
std::string paint(std::string_view text, Colour colour, bool wanted);

}  // namespace lockstep
