#include "report/figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace lockstep::report {

namespace {

constexpr double kSmallLetter = 5.4;  // of the lines below the panels, on average

// At spaces, into lines of at most this many letters where words allow it.
std::vector<std::string> wrapped(std::string_view text, std::size_t letters) {
  std::vector<std::string> lines;
  for (const std::string& word : split(text, ' ')) {
    if (word.empty()) continue;
    const bool fits = !lines.empty() && lines.back().size() + 1 + word.size() <= letters;
    if (fits) {
      lines.back() += ' ' + word;
    } else {
      lines.push_back(word);
    }
  }
  return lines;
}

}  // namespace

std::string svg_file(const Figure& figure, std::string_view machine, std::size_t most_columns) {
  constexpr double kLine = 15, kMargin = 20;
  // Two panels stand side by side; many of them are about as wide as high.
  const double square = std::sqrt(static_cast<double>(figure.panels.size()) * figure.size.y /
                                  std::max(figure.size.x, 1.0));
  const std::size_t columns = std::min({std::max<std::size_t>(2, std::lround(square)), most_columns,
                                        std::max<std::size_t>(figure.panels.size(), 1)});
  const std::size_t lines = (figure.panels.size() + columns - 1) / columns;
  const double width = static_cast<double>(columns) * figure.size.x;
  const double bottom = static_cast<double>(lines) * figure.size.y;
  const auto letters = static_cast<std::size_t>((width - 2 * kMargin) / kSmallLetter);
  std::vector<std::string> below = wrapped(figure.caption, letters);
  for (std::string& line : wrapped(machine, letters)) below.push_back(std::move(line));
  Svg svg;
  for (std::size_t p = 0; p < figure.panels.size(); ++p) {
    const std::size_t line = p / columns, column = p % columns;
    svg.insert(
        {static_cast<double>(column) * figure.size.x, static_cast<double>(line) * figure.size.y},
        figure.panels[p].drawing);
  }
  double y = bottom + 3;
  for (const std::string& line : below) {
    y += kLine;
    svg.text({kMargin, y}, line, fmt::format("{} font-size=\"10\"", kSoftText));
  }
  return svg.document({width, y + 13}, figure.title);
}

}  // namespace lockstep::report
