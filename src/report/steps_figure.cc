#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "report/figure.h"
#include "stats/quantile.h"

namespace lockstep::report {
namespace {

constexpr XY kSize{480, 226};
constexpr XY kCorner{58, 50}, kWindow{402, 120};
constexpr double kRight = kCorner.x + kWindow.x, kBottom = kCorner.y + kWindow.y;
// Where the axis is broken: below kBreak are most steps, above kResume those that take far longer.
constexpr double kBreak = 36, kResume = 28;
constexpr double kTimes = kBottom + 34;  // the row of seconds
constexpr std::size_t kPoints = 40'000;  // of all series together: what a page can carry
constexpr std::size_t kFewest = 400, kMost = 4'000;  // of one

// Where steps lie in their window, which a page may enlarge a part of. Steps that take several
// times as long as others, as those of the warm-up do, would hide all that these have to say: they
// have a scale of their own above a break.
class Scale {
 public:
  explicit Scale(const StepSeries& series) : steps_(static_cast<double>(series.ms.size())) {
    const auto timed = std::span(series.ms).subspan(static_cast<std::size_t>(
        std::min<std::int64_t>(series.warmup, static_cast<std::int64_t>(series.ms.size()) - 1)));
    longest_ = std::ranges::max(series.ms);
    high_ = 1.1 * std::min(std::ranges::max(timed), 3 * stats::median(timed));
    if (longest_ <= high_) return;
    if (longest_ <= 2 * high_) {  // not worth a break
      high_ = 1.1 * longest_;
    } else {
      top_ = 1.1 * longest_;
    }
  }

  bool broken() const { return top_ > 0; }
  double high() const { return high_; }
  double top() const { return top_; }
  double longest() const { return longest_; }
  double x_of(double step) const { return kWindow.x * step / steps_; }
  double y_of(double ms) const {
    if (!broken()) return kWindow.y * (1 - ms / high_);
    if (ms > high_) return kResume * (1 - (ms - high_) / (top_ - high_));
    return kWindow.y - (kWindow.y - kBreak) * ms / high_;
  }

 private:
  double steps_;
  double longest_ = 0;
  double high_ = 0;  // of the scale below the break
  double top_ = 0;   // of the one above it; 0: there is none
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
  svg.rect(
      {0, 0}, {x, kWindow.y}, "fill=\"#888888\" fill-opacity=\"0.22\"",
      fmt::format("{} of warm-up, {} more left out", counted(series.warmup, "step"), series.cut));
  svg.line(
      {x, 0}, {x, kWindow.y},
      fmt::format("{} stroke-dasharray=\"4 3\" vector-effect=\"non-scaling-stroke\"", kSoftLine));
}

// The attributes tell a page's script what a point of the line stands for.
void draw_window(const StepSeries& series, const Scale& scale, std::size_t most, Svg& svg) {
  svg.begin_window(
      kCorner, kWindow,
      fmt::format("data-steps=\"{}\" data-left-out=\"{}\" data-high=\"{}\" data-top=\"{}\" "
                  "data-break=\"{}\" data-resume=\"{}\"",
                  series.ms.size(), series.warmup + series.cut, plain_number(scale.high()),
                  plain_number(scale.top()), scale.broken() ? kBreak : 0,
                  scale.broken() ? kResume : 0));
  draw_cut(series, scale, svg);
  svg.polyline(
      outline(series, scale, most),
      fmt::format("stroke=\"{}\" stroke-width=\"1.2\" vector-effect=\"non-scaling-stroke\"",
                  series_colour(0)));
  svg.end_window();
}

void draw_tick(double ms, const Scale& scale, Svg& svg) {
  const double y = kCorner.y + scale.y_of(ms);
  svg.line({kCorner.x, y}, {kRight, y}, kGridLine);
  svg.text({kCorner.x - 6, y + 4}, fmt::format("{:.4g}", ms),
           "text-anchor=\"end\" font-size=\"11\"");
}

// Two strokes across the axis, which is not there between them.
void draw_break(Svg& svg) {
  const double low = kCorner.y + kBreak, high = kCorner.y + kResume;
  svg.rect({kCorner.x - 2, high}, {4, low - high}, "class=\"paper\" fill=\"#ffffff\"");
  for (const double y : {low, high}) {
    svg.line({kCorner.x - 5, y + 3}, {kCorner.x + 5, y - 3}, kAxisLine);
    svg.line({kCorner.x + 5, y}, {kRight, y},
             fmt::format("{} stroke-dasharray=\"2 3\" stroke-opacity=\"0.6\"", kSoftLine));
  }
}

// Where the seconds of the series pass, below the steps. By its share of the series a page moves a
// tick when it enlarges a part.
void draw_seconds(const StepSeries& series, Svg& svg) {
  constexpr double kNumber = 26;  // from one to the next, at least
  double total = 0;
  for (const double ms : series.ms) total += ms / 1e3;
  svg.text({kCorner.x - 12, kTimes}, "s", "text-anchor=\"end\" font-size=\"11\"");
  double elapsed = 0, taken = -kNumber;
  std::size_t step = 0;
  for (const double second : linear_ticks(total, 9)) {
    while (step < series.ms.size() && elapsed + series.ms[step] / 1e3 < second) {
      elapsed += series.ms[step++] / 1e3;
    }
    const double part = step < series.ms.size() ? (second - elapsed) / (series.ms[step] / 1e3) : 0;
    const double share = (static_cast<double>(step) + part) / static_cast<double>(series.ms.size());
    const double x = share * kWindow.x;
    svg.begin_group(fmt::format("data-share=\"{:.5f}\" transform=\"translate({:.2f} 0)\"", share,
                                kCorner.x + x));
    svg.line({0, kTimes - 13}, {0, kTimes - 10}, kAxisLine);
    if (x >= taken + kNumber) {
      taken = x;
      svg.text({0, kTimes}, fmt::format("{:.6g}", second),
               "text-anchor=\"middle\" font-size=\"11\"");
    }
    svg.end_group();
  }
  svg.line({kCorner.x, kTimes - 13}, {kRight, kTimes - 13}, kAxisLine);
}

void draw_axes(const StepSeries& series, const Scale& scale, Svg& svg) {
  constexpr std::string_view kSmall = "text-anchor=\"middle\" font-size=\"11\"";
  svg.path(fmt::format("M{} {}V{}H{}", kCorner.x, kCorner.y, kBottom, kRight), kAxisLine);
  if (scale.broken()) draw_break(svg);
  svg.text({kCorner.x - 12, kBottom + 14}, "step", "text-anchor=\"end\" font-size=\"11\"");
  svg.text({kCorner.x, kBottom + 14}, "0", fmt::format("{} data-end=\"first\"", kSmall));
  svg.text({kRight, kBottom + 14}, fmt::format("{}", series.ms.size()),
           fmt::format("{} data-end=\"last\"", kSmall));
  draw_seconds(series, svg);
  constexpr XY kSide{14, (kCorner.y + kBottom) / 2};
  svg.text(kSide, "ms",
           fmt::format("text-anchor=\"middle\" transform=\"rotate(-90 {} {})\"", kSide.x, kSide.y));
}

Svg draw(const StepSeries& series, std::size_t most) {
  const Scale scale(series);
  Svg svg;
  svg.begin_group(fmt::format("data-series=\"{}\"", xml_escaped(series.configuration)));
  svg.text({kCorner.x, 20}, series.title, "font-size=\"14\" font-weight=\"bold\"");
  svg.text({kCorner.x, 37}, series.subtitle, kSoftText);
  for (const double tick : linear_ticks(scale.high(), scale.broken() ? 5 : 6)) {
    draw_tick(tick, scale, svg);
  }
  if (scale.broken()) draw_tick(scale.longest(), scale, svg);
  draw_window(series, scale, most, svg);
  draw_axes(series, scale, svg);
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
  bool broken = false;
  for (const StepSeries& one : series) {
    figure.panels.push_back(
        {fmt::format("Step times of {}, {}", one.title, one.subtitle), draw(one, most)});
    broken = broken || Scale(one).broken();
  }
  if (broken) figure.caption += " Above a break of the axis the scale is another.";
  return figure;
}

}  // namespace lockstep::report
