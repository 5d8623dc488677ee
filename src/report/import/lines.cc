#include "report/import/lines.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include "base/text.h"
#include "report/characters.h"

namespace lockstep::report {
namespace {

constexpr std::size_t kLongestQuote = 300;  // of a message that quotes the file

std::string_view digits(std::string_view text) {
  std::size_t n = 0;
  while (n < text.size() && std::isdigit(static_cast<unsigned char>(text[n])) != 0) ++n;
  return text.substr(0, n);
}

std::optional<int> rank_of(std::string_view number) {
  const auto rank = parse_int(number);
  if (!rank || *rank > std::numeric_limits<int>::max()) return std::nullopt;
  return static_cast<int>(*rank);
}

// "[1,3]<stdout>:": the number before the bracket closes.
bool strip_mpirun_tag(LogLine& line) {
  if (!line.text.starts_with('[')) return false;
  const std::size_t close = line.text.find(']');
  if (close == std::string_view::npos) return false;
  for (const std::string_view stream : {"<stdout>:", "<stderr>:"}) {
    if (!line.text.substr(close + 1).starts_with(stream)) continue;
    std::string_view inside = line.text.substr(1, close - 1);
    if (const std::size_t comma = inside.find(','); comma != std::string_view::npos) {
      inside = inside.substr(comma + 1);
    }
    line.rank = rank_of(inside);
    line.text.remove_prefix(close + 1 + stream.size());
    return true;
  }
  return false;
}

void strip_srun_tag(LogLine& line) {
  const std::string_view padded = line.text;
  const std::size_t indent = std::min(padded.find_first_not_of(' '), padded.size());
  const std::string_view number = digits(padded.substr(indent));
  const std::string_view rest = padded.substr(indent + number.size());
  if (number.empty() || !rest.starts_with(": ")) return;
  line.rank = rank_of(number);
  line.text = rest.substr(2);
}

}  // namespace

std::vector<LogLine> log_lines(std::string_view text) {
  std::vector<LogLine> lines;
  int number = 1;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of("\r\n"), text.size());
    LogLine line{.number = number, .text = text.substr(0, end)};
    if (!strip_mpirun_tag(line)) strip_srun_tag(line);
    lines.push_back(line);
    const std::size_t ending = text.substr(end).starts_with("\r\n") ? 2 : 1;
    if (end + ending <= text.size() && text[end + ending - 1] == '\n') ++number;
    text.remove_prefix(std::min(end + ending, text.size()));
  }
  return lines;
}

std::optional<std::string_view> after(std::string_view text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return std::nullopt;
  return trim(text.substr(prefix.size()));
}

std::optional<double> take_number(std::string_view& text) {
  const std::string_view rest = trim(text);
  double value = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
  if (error != std::errc()) return std::nullopt;
  text = rest.substr(static_cast<std::size_t>(end - rest.data()));
  return value;
}

std::optional<double> take_speed(std::string_view& text) {
  const auto value = take_number(text);
  return value && std::isfinite(*value) && *value > 0 ? value : std::nullopt;
}

std::optional<int> count_of(std::string_view text) {
  const auto value = parse_int(trim(text));
  if (!value || *value < 1 || *value > std::numeric_limits<int>::max()) return std::nullopt;
  return static_cast<int>(*value);
}

Error wrong_line(const Source& source, int line, const std::string& message, std::string hint) {
  return Error(ExitCode::usage,
               fmt::format("{}:{}: {}", source.path, line, printable(message, kLongestQuote)),
               std::move(hint));
}

}  // namespace lockstep::report
