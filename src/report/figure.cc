#include "report/figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace lockstep::report {

std::string svg_file(const Figure& figure, std::string_view machine, std::size_t most_columns) {
  constexpr double kFooter = 46, kMargin = 20;
  // Two panels stand side by side; many of them are about as wide as high.
  const double square = std::sqrt(static_cast<double>(figure.panels.size()) * figure.size.y /
                                  std::max(figure.size.x, 1.0));
  const std::size_t columns = std::min({std::max<std::size_t>(2, std::lround(square)), most_columns,
                                        std::max<std::size_t>(figure.panels.size(), 1)});
  const std::size_t lines = (figure.panels.size() + columns - 1) / columns;
  const XY size{static_cast<double>(columns) * figure.size.x,
                static_cast<double>(lines) * figure.size.y + kFooter};
  Svg svg;
  for (std::size_t p = 0; p < figure.panels.size(); ++p) {
    const std::size_t line = p / columns, column = p % columns;
    svg.insert(
        {static_cast<double>(column) * figure.size.x, static_cast<double>(line) * figure.size.y},
        figure.panels[p].drawing);
  }
  const std::string small = fmt::format("{} font-size=\"10\"", kSoftText);
  svg.text({kMargin, size.y - 28}, figure.caption, small);
  svg.text({kMargin, size.y - 13}, machine, small);
  return svg.document(size, figure.title);
}

}  // namespace lockstep::report
