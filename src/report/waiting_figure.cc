#include <fmt/format.h>

#include <algorithm>

#include "report/characters.h"
#include "report/figure.h"

namespace lockstep::report {
namespace {

constexpr double kLeft = 14, kRight = 460, kTop = 56, kWidth = 480;
constexpr double kCell = 18, kLine = 42;  // height of a cell, and from one line to the next
constexpr double kScale = 50;

// How long the ranks of a row wait, in milliseconds a step: means over its launches.
struct Line {
  RowView row;
  std::vector<stats::RankWaiting> ranks = {};
  double step_ms = 0;
};

std::optional<Line> line_of(const RowView& row) {
  if (!row.summary().losses || row.point().devices == 1) return std::nullopt;
  Line line{.row = row};
  double launches = 0;
  for (const auto& launch : row.record().launches) {
    if (!launch) continue;
    if (line.ranks.empty()) line.ranks.resize(launch->ranks.size());
    if (launch->ranks.size() != line.ranks.size() || line.ranks.size() < 2) return std::nullopt;
    ++launches;
    line.step_ms += launch->step_ms_mean;
    for (std::size_t r = 0; r < line.ranks.size(); ++r) {
      line.ranks[r].host = launch->ranks[r].host;
      line.ranks[r].ms += launch->ranks[r].ms;
    }
  }
  for (stats::RankWaiting& rank : line.ranks) rank.ms /= launches;
  line.step_ms /= launches;
  return line;
}

std::vector<Line> lines_of(const Series& series) {
  std::vector<Line> lines;
  for (const Curve& curve : series.curves) {
    if (curve.ceiling) continue;  // nobody waits for anybody
    for (const RowView& row : curve.rows) {
      if (auto line = line_of(row)) lines.push_back(std::move(*line));
    }
  }
  return lines;
}

double highest(const std::vector<Line>& lines) {
  double high = 0.01;  // of a step: below that the colours would tell noise apart
  for (const Line& line : lines) {
    for (const stats::RankWaiting& rank : line.ranks) high = std::max(high, rank.ms / line.step_ms);
  }
  return high;
}

// Never so dense that the number on it could not be read, on light paper or a dark screen.
std::string fill(double share_of_highest) {
  return fmt::format("fill=\"#d55e00\" fill-opacity=\"{:.3f}\"", 0.75 * share_of_highest);
}

void draw_line(const Line& line, double y, double high, Svg& svg) {
  svg.begin_group(fmt::format("data-series=\"{}\"", xml_escaped(choice_of(line.row))));
  svg.text({kLeft, y - 5}, label_of(line.row), "font-size=\"11\"");
  const double width = (kRight - kLeft) / static_cast<double>(line.ranks.size());
  for (std::size_t r = 0; r < line.ranks.size(); ++r) {
    const double share = line.ranks[r].ms / line.step_ms;
    const double x = kLeft + width * static_cast<double>(r);
    svg.rect(
        {x, y}, {width, kCell},
        fmt::format("{} class=\"grid\" stroke=\"#e4e4e4\"{} data-rank=\"{}\"", fill(share / high),
                    data_of(line.row, "straggler_wait_ms", line.ranks[r].ms), r),
        fmt::format("{}: rank {} on {} waits {:.4g} ms a step, {:.1f} % of it", label_of(line.row),
                    r, printable(line.ranks[r].host), line.ranks[r].ms, 100 * share));
    if (width > 44) {
      svg.text({x + width / 2, y + 13}, fmt::format("{:.1f} %", 100 * share),
               "text-anchor=\"middle\" font-size=\"11\"");
    }
  }
  svg.end_group();
}

void draw_scale(double y, double high, Svg& svg) {
  constexpr int kSteps = 5;
  constexpr double kWide = 26;
  svg.text({kLeft, y + 12}, "0 %", "font-size=\"11\"");
  for (int i = 0; i < kSteps; ++i) {
    svg.rect({kLeft + 28 + kWide * i, y}, {kWide, 14},
             fill(static_cast<double>(i) / (kSteps - 1)) + " class=\"grid\" stroke=\"#e4e4e4\"");
  }
  svg.text({kLeft + 36 + kWide * kSteps, y + 12},
           fmt::format("{:.1f} % of the step; ranks from left to right", 100 * high),
           "font-size=\"11\"");
}

}  // namespace

Figure waiting_figure(std::span<const result::SweepResults> reports) {
  std::vector<Series> series = series_of(reports);
  std::vector<std::vector<Line>> lines;
  std::size_t most = 0;
  for (const Series& one : series) {
    lines.push_back(lines_of(one));
    most = std::max(most, lines.back().size());
  }
  const double bottom = kTop + kLine * static_cast<double>(most);
  Figure figure{.name = "waiting",
                .title = "Waiting for others",
                .caption = "The rank that waits least is the one that the others wait for.",
                .size = {kWidth, bottom + kScale},
                .panels = {}};
  for (std::size_t s = 0; s < series.size(); ++s) {
    if (lines[s].empty()) continue;
    Svg svg;
    svg.text({kLeft, 20}, series[s].title, "font-size=\"15\" font-weight=\"bold\"");
    svg.text({kLeft, 37}, series[s].subtitle, kSoftText);
    const double high = highest(lines[s]);
    for (std::size_t i = 0; i < lines[s].size(); ++i) {
      draw_line(lines[s][i], kTop + kLine * static_cast<double>(i) + 18, high, svg);
    }
    draw_scale(bottom + 16, high, svg);
    figure.panels.push_back(
        {fmt::format("Waiting of the ranks of {}, {}", series[s].title, series[s].subtitle),
         std::move(svg)});
  }
  return figure;
}

}  // namespace lockstep::report
