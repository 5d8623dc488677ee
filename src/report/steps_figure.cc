#include <fmt/format.h>

#include <algorithm>

#include "report/figure.h"
#include "stats/quantile.h"

namespace lockstep::report {
namespace {

constexpr XY kSize{480, 192};
constexpr XY kCorner{58, 50}, kWindow{402, 100};
constexpr double kRight = kCorner.x + kWindow.x, kBottom = kCorner.y + kWindow.y;
constexpr std::size_t kPoints = 40'000;  // of all series together: what a page can carry
constexpr std::size_t kFewest = 400, kMost = 4'000;  // of one

// Where steps lie in their window, which a page may enlarge a part of. A step that takes several
// times as long as others leaves it at the top: it would hide all that these have to say.
class Scale {
 public:
  explicit Scale(const StepSeries& series) : steps_(static_cast<double>(series.ms.size())) {
    const auto timed = std::span(series.ms).subspan(static_cast<std::size_t>(
        std::min<std::int64_t>(series.warmup, static_cast<std::int64_t>(series.ms.size()) - 1)));
    high_ = 1.1 * std::min(std::ranges::max(timed), 3 * stats::median(timed));
  }

  double high() const { return high_; }
  double x_of(double step) const { return kWindow.x * step / steps_; }
  double y_of(double ms) const { return kWindow.y * (1 - ms / high_); }

 private:
  double steps_;
  double high_ = 0;
};

// A point for each step, or of steps that share a column their lowest and their highest.
std::vector<XY> outline(const StepSeries& series, const Scale& scale, std::size_t most) {
  std::vector<XY> points;
  const std::size_t steps = series.ms.size();
  if (steps <= most) {
    for (std::size_t i = 0; i < steps; ++i) {
      points.push_back({scale.x_of(static_cast<double>(i) + 0.5), scale.y_of(series.ms[i])});
    }
    return points;
  }
  const std::size_t columns = most / 2;
  for (std::size_t c = 0; c < columns; ++c) {
    const std::size_t begin = c * steps / columns, end = (c + 1) * steps / columns;
    const auto [low, high] = std::ranges::minmax(std::span(series.ms).subspan(begin, end - begin));
    const double x = scale.x_of(static_cast<double>(begin + end) / 2);
    points.push_back({x, scale.y_of(low)});
    points.push_back({x, scale.y_of(high)});
  }
  return points;
}

void draw_cut(const StepSeries& series, const Scale& scale, Svg& svg) {
  const std::int64_t left_out = series.warmup + series.cut;
  if (left_out == 0) return;
  const double x = scale.x_of(static_cast<double>(left_out));
  svg.rect({0, 0}, {x, kWindow.y}, "fill=\"#888888\" fill-opacity=\"0.22\"",
           fmt::format("{} steps of warm-up, {} more left out", series.warmup, series.cut));
  svg.line(
      {x, 0}, {x, kWindow.y},
      fmt::format("{} stroke-dasharray=\"4 3\" vector-effect=\"non-scaling-stroke\"", kSoftLine));
}

// The attributes tell a page's script what a point of the line stands for.
void draw_window(const StepSeries& series, const Scale& scale, std::size_t most, Svg& svg) {
  svg.begin_window(
      kCorner, kWindow,
      fmt::format("data-steps=\"{}\" data-left-out=\"{}\" data-high=\"{}\"", series.ms.size(),
                  series.warmup + series.cut, plain_number(scale.high())));
  draw_cut(series, scale, svg);
  svg.polyline(
      outline(series, scale, most),
      fmt::format("stroke=\"{}\" stroke-width=\"1.2\" vector-effect=\"non-scaling-stroke\"",
                  series_colour(0)));
  svg.end_window();
}

Svg draw(const StepSeries& series, std::size_t most) {
  constexpr std::string_view kSmall = "text-anchor=\"middle\" font-size=\"11\"";
  const Scale scale(series);
  Svg svg;
  svg.begin_group(fmt::format("data-series=\"{}\"", xml_escaped(series.configuration)));
  svg.text({kCorner.x, 20}, series.title, "font-size=\"14\" font-weight=\"bold\"");
  svg.text({kCorner.x, 37}, series.subtitle, kSoftText);
  for (const double tick : linear_ticks(scale.high(), 5)) {
    const double y = kCorner.y + scale.y_of(tick);
    svg.line({kCorner.x, y}, {kRight, y}, kGridLine);
    svg.text({kCorner.x - 6, y + 4}, fmt::format("{:.6g}", tick),
             "text-anchor=\"end\" font-size=\"11\"");
  }
  draw_window(series, scale, most, svg);
  svg.path(fmt::format("M{} {}V{}H{}", kCorner.x, kCorner.y, kBottom, kRight), kAxisLine);
  svg.text({kCorner.x, kBottom + 16}, "0", fmt::format("{} data-end=\"first\"", kSmall));
  svg.text({kRight, kBottom + 16}, fmt::format("{}", series.ms.size()),
           fmt::format("{} data-end=\"last\"", kSmall));
  svg.text({(kCorner.x + kRight) / 2, kBottom + 20}, "step", kSmall);
  constexpr XY kSide{14, (kCorner.y + kBottom) / 2};
  svg.text(kSide, "ms",
           fmt::format("text-anchor=\"middle\" transform=\"rotate(-90 {} {})\"", kSide.x, kSide.y));
  svg.end_group();
  return svg;
}

}  // namespace

Figure steps_figure(std::span<const StepSeries> series) {
  Figure figure{.name = "steps",
                .title = "Step by step",
                .caption = "Rank 0 in the first launch of each point. Grey: warm-up, not measured.",
                .size = kSize,
                .panels = {}};
  const std::size_t most =
      std::clamp(kPoints / std::max<std::size_t>(series.size(), 1), kFewest, kMost);
  for (const StepSeries& one : series) {
    figure.panels.push_back(
        {fmt::format("Step times of {}, {}", one.title, one.subtitle), draw(one, most)});
  }
  return figure;
}

}  // namespace lockstep::report
