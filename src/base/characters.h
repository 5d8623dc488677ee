#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lockstep {

struct Character {
  std::uint32_t code = 0;
  std::size_t bytes = 1;
};
// The UTF-8 character at the begin of a text that is not empty; nothing: there is none.
std::optional<Character> first_character(std::string_view text);

// Whether all of a text is UTF-8, which JSON must be.
bool is_utf8(std::string_view text);

inline constexpr std::string_view kReplacement = "\xef\xbf\xbd";  // U+FFFD

// A name that somebody else chose, for a line on a terminal: what moves the cursor, changes colours
// or turns the direction of writing becomes U+FFFD, and what is longer is cut.
std::string printable(std::string_view text, std::size_t most = 60);

}  // namespace lockstep
