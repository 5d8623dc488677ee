#include "report/import/grouped_number.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/text.h"

namespace lockstep::report {
namespace {

constexpr std::string_view kSeparators = ",'_.";

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool all_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, is_digit);
}

// "2,510": one to three digits, then threes, each after the same separator.
bool is_grouped(std::string_view text, char separator) {
  const auto parts = split(text, separator);
  return parts.size() > 1 && parts.front().size() <= 3 && std::ranges::all_of(parts, all_digits) &&
         std::all_of(parts.begin() + 1, parts.end(),
                     [](const std::string& part) { return part.size() == 3; });
}

// The same without what separates its thousands, and with a point before its decimals. Points
// separate thousands only where a comma follows them: "2.510" is less than 3.
std::optional<std::string> ungrouped(std::string_view text) {
  for (const char separator : kSeparators) {
    const char point = separator == '.' ? ',' : '.';
    const std::size_t at = std::min(text.find(point), text.size());
    const std::string_view decimals = text.substr(std::min(at + 1, text.size()));
    const bool has_decimals = all_digits(decimals);
    if (!is_grouped(text.substr(0, at), separator)) continue;
    if (!has_decimals && (separator == '.' || !decimals.empty())) continue;
    std::string plain(text.substr(0, at));
    std::erase(plain, separator);
    return has_decimals ? plain + '.' + std::string(decimals) : plain;
  }
  return std::nullopt;
}

}  // namespace

std::optional<double> grouped_number(std::string_view text) {
  const auto plain = ungrouped(text);
  const auto value = parse_double(plain ? *plain : text);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

std::string_view number_around(std::string_view line, std::string_view part) {
  const auto belongs = [](char c) {
    return is_digit(c) || kSeparators.find(c) != std::string_view::npos;
  };
  auto begin = static_cast<std::size_t>(part.data() - line.data());
  std::size_t end = begin + part.size();
  while (begin > 0 && belongs(line[begin - 1])) --begin;
  while (end < line.size() && belongs(line[end])) ++end;
  std::string_view whole = line.substr(begin, end - begin);
  // Quotes around it, or the full stop of a sentence, are not part of the number.
  while (!whole.empty() && !is_digit(whole.front())) whole.remove_prefix(1);
  while (!whole.empty() && !is_digit(whole.back())) whole.remove_suffix(1);
  const bool holds_part =
      whole.data() <= part.data() && whole.data() + whole.size() >= part.data() + part.size();
  return holds_part && ungrouped(whole) ? whole : part;
}

}  // namespace lockstep::report
