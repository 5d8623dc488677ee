#include "base/characters.h"

namespace lockstep {
namespace {

struct Range {
  std::uint32_t first, last;
};

// Control characters, line and paragraph separators, and what turns the direction of writing.
constexpr Range kUnprintable[] = {{0, 0x1f},        {0x7f, 0x9f},     {0x61c, 0x61c},
                                  {0x200b, 0x200f}, {0x2028, 0x202e}, {0x2060, 0x206f},
                                  {0xfeff, 0xfeff}, {0xfff9, 0xffff}};

bool is_printable(std::uint32_t code) {
  for (const Range& range : kUnprintable) {
    if (code >= range.first && code <= range.last) return false;
  }
  return true;
}

}  // namespace

std::optional<Character> first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return Character{.code = first, .bytes = 1};
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 0;
  if (length == 0 || first > 0xf4 || text.size() < length) return std::nullopt;
  std::uint32_t code = first & (0xffU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0U) != 0x80) return std::nullopt;
    code = code << 6U | (byte(i) & 0x3fU);
  }
  constexpr std::uint32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xd800 && code < 0xe000;
  if (code < kSmallest[length] || code > 0x10ffff || surrogate) return std::nullopt;
  return Character{.code = code, .bytes = length};
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::optional<Character> character = first_character(text);
    if (!character) return false;
    text.remove_prefix(character->bytes);
  }
  return true;
}

std::string printable(std::string_view text, std::size_t most) {
  std::string out;
  for (std::size_t shown = 0; !text.empty(); ++shown) {
    if (shown == most) return out + "...";
    const auto character = first_character(text);
    const std::size_t bytes = character ? character->bytes : 1;
    out += character && is_printable(character->code) ? text.substr(0, bytes) : kReplacement;
    text.remove_prefix(bytes);
  }
  return out;
}

}  // namespace lockstep
