#include "report/line_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "base/text.h"

namespace lockstep::report {
namespace {

constexpr double kWidth = 640;  // at least
constexpr double kLeft = 88, kRight = 620, kTop = 48, kBottom = 360;
constexpr double kLegend = kBottom + 68, kLegendLine = 19, kLabel = kLeft + 44;
constexpr double kLetter = 7;  // of a label, on average
constexpr double kInset = 18;  // markers stand free of the frame
constexpr double kMinorTick = 4;
// From one number on the x axis to the next, at least; with a unit.
constexpr double kNumber = 28, kBytes = 54;

// 1 KiB, not 1.00 KiB.
std::string bytes_text(double bytes) {
  std::string text = human_bytes(bytes);
  const std::size_t point = text.find('.'), end = text.find(' ');
  if (point < end && text.find_first_not_of('0', point + 1) == end) text.erase(point, end - point);
  return text;
}

class Drawing {
 public:
  explicit Drawing(const LineChart& chart) : chart_(chart) {
    for (const ChartLine& line : chart.lines) {
      for (const XY& point : line.points) include(point);
    }
  }

  Svg draw() {
    svg_.text({kLeft, chart_.subtitle.empty() ? 28.0 : 20.0}, chart_.title,
              "font-size=\"15\" font-weight=\"bold\"");
    if (!chart_.subtitle.empty()) svg_.text({kLeft, 37}, chart_.subtitle, kSoftText);
    draw_axes();
    if (counts_.empty()) {
      svg_.text({(kLeft + kRight) / 2, (kTop + kBottom) / 2}, "nothing was measured",
                fmt::format("{} text-anchor=\"middle\"", kSoftText));
    }
    std::size_t series = 0;
    for (std::size_t i = 0; i < chart_.lines.size(); ++i) {
      const ChartLine& line = chart_.lines[i];
      if (line.points.empty()) continue;
      const double y = kLegend + kLegendLine * static_cast<double>(i);
      draw_line(line, series, y);
      svg_.text({kLabel, y + 4}, line.label, "");
      if (!line.titles.empty()) ++series;
    }
    if (!chart_.footer.empty()) {
      svg_.text({kLeft, size_of(chart_).y - 12}, chart_.footer,
                fmt::format("{} font-size=\"10\"", kSoftText));
    }
    return std::move(svg_);
  }

 private:
  bool in_bytes() const {
    return chart_.axes == Axes::bytes_from_zero || chart_.axes == Axes::logarithmic_bytes;
  }
  bool logarithmic_x() const { return chart_.axes != Axes::linear_from_zero; }
  bool logarithmic_y() const {
    return chart_.axes == Axes::logarithmic || chart_.axes == Axes::logarithmic_bytes;
  }

  void include(const XY& point) {
    counts_.insert(point.x);
    low_ = std::min(low_, point.y);
    high_ = std::max(high_, point.y);
  }

  double x_of(double x) const {
    const double first = *counts_.begin();
    const double last = *counts_.rbegin();
    const double width = kRight - kLeft - kInset;
    if (!logarithmic_x()) return kLeft + width * x / last;
    if (first == last) return (kLeft + kRight) / 2;
    return kLeft + kInset + (width - kInset) * std::log(x / first) / std::log(last / first);
  }
  double y_of(double y) const {
    const double height = kBottom - kTop - kInset;
    if (!logarithmic_y()) return kBottom - height * y / high_;
    if (low_ == high_) return (kTop + kBottom) / 2;
    return kBottom - kInset - (height - kInset) * std::log(y / low_) / std::log(high_ / low_);
  }

  void draw_axes() {
    if (!counts_.empty()) draw_ticks();
    svg_.path(fmt::format("M{} {}V{}H{}", kLeft, kTop, kBottom, kRight), kAxisLine);
    svg_.text({(kLeft + kRight) / 2, kBottom + 40},
              logarithmic_x() ? log_scale(chart_.x_label) : chart_.x_label,
              "text-anchor=\"middle\"");
    constexpr XY kSide{18, (kTop + kBottom) / 2};
    svg_.text(
        kSide, logarithmic_y() ? log_scale(chart_.y_label) : chart_.y_label,
        fmt::format("text-anchor=\"middle\" transform=\"rotate(-90 {} {})\"", kSide.x, kSide.y));
  }

  void draw_ticks() {
    for (const double tick :
         logarithmic_y() ? logarithmic_ticks(low_, high_, 9) : linear_ticks(high_, 9)) {
      svg_.line({kLeft, y_of(tick)}, {kRight, y_of(tick)}, kGridLine);
      svg_.text({kLeft - 8, y_of(tick) + 4}, fmt::format("{:.6g}", tick), "text-anchor=\"end\"");
    }
    if (logarithmic_y()) {
      for (const double tick : minor_ticks(low_, high_)) {
        svg_.line({kLeft - kMinorTick, y_of(tick)}, {kLeft, y_of(tick)}, kAxisLine);
      }
    }
    // A number where there is room for it, and the last one always.
    const double last = x_of(*counts_.rbegin());
    const double room = in_bytes() ? kBytes : kNumber;
    double taken = -kWidth;
    for (const double count : counts_) {
      const double x = x_of(count);
      svg_.line({x, kTop}, {x, kBottom}, kGridLine);
      if (x < taken + room || (x != last && x > last - room)) continue;
      taken = x;
      svg_.text({x, kBottom + 18}, in_bytes() ? bytes_text(count) : fmt::format("{:g}", count),
                "text-anchor=\"middle\"");
    }
  }

  // In the frame, and a piece of it in the legend.
  void draw_line(const ChartLine& line, std::size_t series, double legend_y) {
    const bool marked = !line.titles.empty();
    const std::string_view colour = series_colour(series);
    const std::string stroke =
        marked ? fmt::format("stroke=\"{}\" stroke-width=\"1.8\"", colour)
               : fmt::format("{} stroke-width=\"1.8\" stroke-dasharray=\"6 4\"", kSoftLine);
    std::vector<XY> points;
    for (const XY& point : line.points) points.push_back({x_of(point.x), y_of(point.y)});
    svg_.polyline(points, stroke);
    svg_.line({kLeft, legend_y}, {kLeft + 34, legend_y}, stroke);
    if (!marked) return;
    const std::string fill = fmt::format("fill=\"{}\"", colour);
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (line.titles[i].empty()) continue;
      svg_.path(marker_path(points[i], series), fill, line.titles[i]);
    }
    svg_.path(marker_path({kLeft + 17, legend_y}, series), fill);
  }

  const LineChart& chart_;
  Svg svg_;
  std::set<double> counts_;
  double low_ = std::numeric_limits<double>::infinity(), high_ = 0;
};

}  // namespace

XY size_of(const LineChart& chart) {
  double width = kWidth;  // and enough for the longest label
  for (const ChartLine& line : chart.lines) {
    width = std::max(width, kLabel + kLetter * static_cast<double>(line.label.size()));
  }
  const double footer = chart.footer.empty() ? 0 : 24;
  return {width, kLegend + kLegendLine * static_cast<double>(chart.lines.size()) + footer};
}

Svg drawing_of(const LineChart& chart) {
  return Drawing(chart).draw();
}

std::string draw(const LineChart& chart) {
  return drawing_of(chart).document(size_of(chart), chart.title);
}

}  // namespace lockstep::report
