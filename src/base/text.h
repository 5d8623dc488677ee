#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

std::vector<std::string> split(std::string_view text, char separator);
std::string_view trim(std::string_view text);
std::string lower(std::string_view text);
std::string join(std::span<const std::string> parts, std::string_view separator);
std::string alternatives(std::span<const std::string> words);  // "a, b or c"
// Lines of at most so many columns, but for words that are longer.
std::vector<std::string> wrap(std::string_view text, std::size_t columns);

// The whole text as a number, or nothing: no trailing characters, no spaces.
std::optional<std::int64_t> parse_int(std::string_view text);
std::optional<double> parse_double(std::string_view text);

// Levenshtein distance; the known word nearest to `word`, or nothing when none is near enough to
// be what was meant.
int edit_distance(std::string_view a, std::string_view b);
std::optional<std::string> closest(std::string_view word, std::span<const std::string> known);

std::string human_bytes(double bytes);    // "1.5 GiB"
std::string human_count(std::int64_t n);  // "25,559,081"
// "1 core", "2 cores", "3 launches", "4 directories"
std::string counted(std::int64_t number, std::string_view noun);
std::string human_seconds(double seconds);  // "1 min 20 s"

}  // namespace lockstep
