#include <fmt/format.h>

#include <algorithm>

#include "report/figure.h"
#include "result/metrics.h"

namespace lockstep::report {
namespace {

constexpr double kLeft = 14, kRight = 460, kTop = 56, kWidth = 480;
constexpr double kBar = 15, kLine = 38;  // height of a bar, and from one to the next
constexpr double kAxis = 44, kLegendLine = 18, kLegendColumn = 112;

struct Bar {
  RowView row;
  std::array<double, stats::kParts> ms{};
  double total = 0;
};

std::optional<Bar> bar_of(const RowView& row) {
  if (!row.summary().losses) return std::nullopt;
  Bar bar{.row = row};
  double launches = 0;
  for (const auto& launch : row.record().launches) {
    if (!launch) continue;
    ++launches;
    for (std::size_t p = 0; p < stats::kParts; ++p) {
      bar.ms[p] += stats::part_ms(*launch, result::step_parts()[p].part);
    }
  }
  for (double& ms : bar.ms) bar.total += std::max(0.0, ms /= launches);
  return bar;
}

std::vector<Bar> bars_of(const Series& series) {
  std::vector<Bar> bars;
  for (const Curve& curve : series.curves) {
    for (const RowView& row : curve.rows) {
      if (const auto bar = bar_of(row)) bars.push_back(*bar);
    }
  }
  std::ranges::stable_sort(bars, {}, [](const Bar& bar) { return bar.row.point().devices; });
  return bars;
}

void draw_bar(const Bar& bar, double y, double scale, Svg& svg) {
  svg.begin_group(fmt::format("data-series=\"{}\"", xml_escaped(choice_of(bar.row))));
  svg.text({kLeft, y - 4}, fmt::format("{}: {:.4g} ms", label_of(bar.row), bar.total),
           "font-size=\"11\"");
  double x = kLeft;
  for (std::size_t p = 0; p < stats::kParts; ++p) {
    const result::StepPart& part = result::step_parts()[p];
    const double width = scale * std::max(0.0, bar.ms[p]);
    svg.rect({x, y}, {width, kBar},
             fmt::format("fill=\"{}\"{}", part.colour, data_of(bar.row, part.column, bar.ms[p])),
             fmt::format("{}: {} {:.4g} ms, {:.1f} % of the step", label_of(bar.row), part.name,
                         bar.ms[p], 100 * bar.ms[p] / bar.total));
    x += width;
  }
  svg.end_group();
}

void draw_axis(double y, double high, double scale, Svg& svg) {
  for (const double tick : linear_ticks(high, 6)) {
    const double x = kLeft + scale * tick;
    svg.line({x, kTop}, {x, y}, kGridLine);
    svg.text({x, y + 16}, fmt::format("{:.4g}", tick), "text-anchor=\"middle\"");
  }
  svg.line({kLeft, y}, {kRight, y}, kAxisLine);
  svg.text({(kLeft + kRight) / 2, y + 32}, "ms", "text-anchor=\"middle\"");
}

void draw_legend(double y, Svg& svg) {
  for (std::size_t p = 0; p < stats::kParts; ++p) {
    const std::size_t line = p / 4, column = p % 4;
    const XY at{kLeft + kLegendColumn * static_cast<double>(column),
                y + kLegendLine * static_cast<double>(line)};
    const result::StepPart& part = result::step_parts()[p];
    svg.rect({at.x, at.y - 9}, {10, 10}, fmt::format("fill=\"{}\"", part.colour));
    svg.text({at.x + 15, at.y}, part.name, "font-size=\"11\"");
  }
}

Svg draw(const Series& series, const std::vector<Bar>& bars, double lines) {
  Svg svg;
  svg.text({kLeft, 20}, series.title, "font-size=\"15\" font-weight=\"bold\"");
  svg.text({kLeft, 37}, series.subtitle, kSoftText);
  const double high = std::ranges::max(bars, {}, &Bar::total).total;
  const double scale = (kRight - kLeft) / high;
  const double bottom = kTop + kLine * lines;
  draw_axis(bottom, high, scale, svg);
  for (std::size_t i = 0; i < bars.size(); ++i) {
    draw_bar(bars[i], kTop + kLine * static_cast<double>(i) + 18, scale, svg);
  }
  draw_legend(bottom + kAxis + 12, svg);
  return svg;
}

}  // namespace

Figure step_time_figure(std::span<const result::SweepResults> reports) {
  const std::vector<Series> series = series_of(reports);
  std::vector<std::vector<Bar>> bars;
  std::size_t most = 0;
  for (const Series& one : series) {
    bars.push_back(bars_of(one));
    most = std::max(most, bars.back().size());
  }
  const auto lines = static_cast<double>(most);
  Figure figure{
      .name = "step_time",
      .title = "Where a step's time goes",
      .caption = "Mean step, over launches and ranks. Exchange: exposed, without waiting.",
      .size = {kWidth, kTop + kLine * lines + kAxis + 2 * kLegendLine + 16},
      .panels = {}};
  for (std::size_t s = 0; s < series.size(); ++s) {
    if (bars[s].empty()) continue;
    figure.panels.push_back(
        {fmt::format("Mean step of {}, {}", series[s].title, series[s].subtitle),
         draw(series[s], bars[s], lines)});
  }
  return figure;
}

}  // namespace lockstep::report
