#include "report/csv.h"

namespace lockstep::report {
namespace {

// Apostrophes count as part of the beginning, so that what has some gets one more and loses it.
bool looks_like_formula(std::string_view text) {
  const std::size_t first = text.find_first_not_of('\'');
  return first != std::string_view::npos &&
         std::string_view("=+-@\t\r").find(text[first]) != std::string_view::npos;
}

}  // namespace

std::string csv_text(std::string_view text) {
  std::string plain = (looks_like_formula(text) ? "'" : "") + std::string(text);
  if (plain.find_first_of(",\"\r\n") == std::string::npos) return plain;
  std::string out = "\"";
  for (const char c : plain) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

std::string text_of_csv(std::string_view field) {
  if (field.starts_with('\'') && looks_like_formula(field)) field.remove_prefix(1);
  return std::string(field);
}

}  // namespace lockstep::report
