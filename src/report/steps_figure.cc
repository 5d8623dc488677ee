#include <fmt/format.h>

#include <algorithm>

#include "report/figure.h"
#include "stats/quantile.h"

namespace lockstep::report {
namespace {

constexpr double kLeft = 58, kRight = 460, kTop = 50, kBottom = 150;
constexpr XY kSize{480, 192};
constexpr std::size_t kColumns = 360;  // more of them than this nobody tells apart

// The frame around a series. A step that takes several times as long as others leaves it at the
// top: it would hide all that these have to say.
class Frame {
 public:
  explicit Frame(const StepSeries& series) : steps_(static_cast<double>(series.ms.size())) {
    const auto timed = std::span(series.ms).subspan(static_cast<std::size_t>(
        std::min<std::int64_t>(series.warmup, static_cast<std::int64_t>(series.ms.size()) - 1)));
    high_ = 1.1 * std::min(std::ranges::max(timed), 3 * stats::median(timed));
  }

  double high() const { return high_; }
  double x_of(double step) const { return kLeft + (kRight - kLeft) * step / steps_; }
  double y_of(double ms) const {
    return kBottom - (kBottom - kTop) * std::clamp(ms / high_, 0.0, 1.0);
  }

 private:
  double steps_;
  double high_ = 0;
};

// Steps that share a column become its lowest and its highest.
std::vector<XY> outline(const StepSeries& series, const Frame& frame) {
  std::vector<XY> points;
  const std::size_t steps = series.ms.size();
  if (steps <= kColumns) {
    for (std::size_t i = 0; i < steps; ++i) {
      points.push_back({frame.x_of(static_cast<double>(i) + 0.5), frame.y_of(series.ms[i])});
    }
    return points;
  }
  for (std::size_t c = 0; c < kColumns; ++c) {
    const std::size_t begin = c * steps / kColumns, end = (c + 1) * steps / kColumns;
    const auto [low, high] = std::ranges::minmax(std::span(series.ms).subspan(begin, end - begin));
    const double x = frame.x_of(static_cast<double>(begin + end) / 2);
    points.push_back({x, frame.y_of(low)});
    points.push_back({x, frame.y_of(high)});
  }
  return points;
}

void draw_cut(const StepSeries& series, const Frame& frame, Svg& svg) {
  const std::int64_t left_out = series.warmup + series.cut;
  if (left_out == 0) return;
  const double x = frame.x_of(static_cast<double>(left_out));
  svg.rect({kLeft, kTop}, {x - kLeft, kBottom - kTop}, "fill=\"#888888\" fill-opacity=\"0.22\"",
           fmt::format("{} steps of warm-up, {} more left out", series.warmup, series.cut));
  svg.line({x, kTop}, {x, kBottom}, fmt::format("{} stroke-dasharray=\"4 3\"", kSoftLine));
}

Svg draw(const StepSeries& series) {
  const Frame frame(series);
  Svg svg;
  svg.text({kLeft, 20}, series.title, "font-size=\"14\" font-weight=\"bold\"");
  svg.text({kLeft, 37}, series.subtitle, kSoftText);
  for (const double tick : linear_ticks(frame.high(), 5)) {
    svg.line({kLeft, frame.y_of(tick)}, {kRight, frame.y_of(tick)}, kGridLine);
    svg.text({kLeft - 6, frame.y_of(tick) + 4}, fmt::format("{:.4g}", tick),
             "text-anchor=\"end\" font-size=\"11\"");
  }
  draw_cut(series, frame, svg);
  svg.polyline(outline(series, frame),
               fmt::format("stroke=\"{}\" stroke-width=\"1.2\"", series_colour(0)));
  svg.path(fmt::format("M{} {}V{}H{}", kLeft, kTop, kBottom, kRight), kAxisLine);
  svg.text({kLeft, kBottom + 16}, "0", "text-anchor=\"middle\" font-size=\"11\"");
  svg.text({kRight, kBottom + 16}, fmt::format("{}", series.ms.size()),
           "text-anchor=\"middle\" font-size=\"11\"");
  svg.text({(kLeft + kRight) / 2, kBottom + 20}, "step", "text-anchor=\"middle\" font-size=\"11\"");
  constexpr XY kSide{14, (kTop + kBottom) / 2};
  svg.text(kSide, "ms",
           fmt::format("text-anchor=\"middle\" transform=\"rotate(-90 {} {})\"", kSide.x, kSide.y));
  return svg;
}

}  // namespace

Figure steps_figure(std::span<const StepSeries> series) {
  Figure figure{.name = "steps",
                .title = "Step by step",
                .caption = "Rank 0 in the first launch of each point. Grey: warm-up, not measured.",
                .size = kSize,
                .panels = {}};
  for (const StepSeries& one : series) {
    Svg svg;
    svg.begin_group(fmt::format("data-series=\"{}\"", xml_escaped(one.configuration)));
    svg.insert({0, 0}, draw(one));
    svg.end_group();
    figure.panels.push_back(
        {fmt::format("Step times of {}, {}", one.title, one.subtitle), std::move(svg)});
  }
  return figure;
}

}  // namespace lockstep::report
