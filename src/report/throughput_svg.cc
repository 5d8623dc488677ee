#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

#include "report/svg.h"
#include "report/sweep_report.h"

namespace lockstep::report {
namespace {

// --- What is drawn ------------------------------------------------------------------------------

// A configuration over device counts.
struct Curve {
  std::string label;
  bool ceiling = false;
  std::vector<std::size_t> rows;  // of the plan, by devices
};

// A network with one way of scaling it.
struct Panel {
  std::string title;
  std::string subtitle;
  std::vector<Curve> curves;
};

Curve& curve_of(Panel& panel, const std::string& label) {
  const auto found = std::ranges::find(panel.curves, label, &Curve::label);
  if (found != panel.curves.end()) return *found;
  panel.curves.push_back({.label = label, .ceiling = false, .rows = {}});
  return panel.curves.back();
}

std::vector<Panel> panels_of(const SweepReport& report) {
  using Key = std::tuple<std::string, spec::Scaling, int>;
  std::vector<Panel> panels;
  std::map<Key, std::size_t> known;
  for (std::size_t r = 0; r < report.plan.rows.size(); ++r) {
    const spec::Row& row = report.plan.rows[r];
    const spec::Point& point = report.plan.points[row.point];
    const auto [at, fresh] =
        known.emplace(Key{point.model, row.scaling, row.series_batch}, panels.size());
    if (fresh) {
      const bool weak = row.scaling == spec::Scaling::weak;
      panels.push_back({.title = point.model,
                        .subtitle = fmt::format("{} scaling, batch {} {}", weak ? "weak" : "strong",
                                                row.series_batch, weak ? "per device" : "in all"),
                        .curves = {}});
    }
    Curve& curve = curve_of(panels[at->second], configuration(point));
    curve.ceiling = point.strategy == "independent";
    curve.rows.push_back(r);
  }
  return panels;
}

// --- How it looks -------------------------------------------------------------------------------

constexpr std::string_view kCeilingColour = "#444444";
constexpr std::string_view kIdealColour = "#888888";

constexpr double kPlotWidth = 270, kPanelHeight = 330;
constexpr double kLeft = 64, kTop = 52, kBottom = 52;
constexpr double kLetter = 6;  // width of one in a label, about
constexpr double kFooter = 30;
constexpr double kLabelHeight = 14;

std::string rounded(double value) {
  return fmt::format("{:.{}f}", value, value >= 100 ? 0 : value >= 10 ? 1 : 2);
}

// A tick has few digits of its own: 30000, 1500, 1.2.
std::string tick_text(double value) {
  return fmt::format("{:.4g}", value);
}

class PanelDrawing {
 public:
  PanelDrawing(const SweepReport& report, const Panel& panel, XY corner, Svg& svg)
      : report_(report), panel_(panel), corner_(corner), svg_(svg) {
    look_for_ranges();
  }

  void draw() {
    svg_.text({left(), corner_.y + 20}, panel_.title, "font-size=\"15\" font-weight=\"bold\"");
    svg_.text({left(), corner_.y + 37}, panel_.subtitle, "fill=\"#555555\"");
    draw_axes();
    if (top_ == 0) {
      svg_.text({(left() + right()) / 2, (top() + bottom()) / 2}, "nothing was measured",
                "text-anchor=\"middle\" fill=\"#555555\"");
    }
    draw_ideal();
    for (const Curve& curve : panel_.curves) {  // limits lie below what they limit
      if (curve.ceiling) draw_curve(curve, kCeilingColour, 0);
    }
    std::size_t colour = 0;
    for (const Curve& curve : panel_.curves) {
      if (curve.ceiling) continue;
      draw_curve(curve, series_colour(colour), colour);
      ++colour;
    }
    draw_labels();
  }

 private:
  struct Label {
    double y = 0;
    std::string text;
    std::string colour;
  };

  double left() const { return corner_.x + kLeft; }
  double right() const { return left() + kPlotWidth; }
  double top() const { return corner_.y + kTop; }
  double bottom() const { return corner_.y + kPanelHeight - kBottom; }

  double x_of(double devices) const {
    const double span = std::log2(last_) - std::log2(first_);
    const double inset = 18;  // whiskers and markers stand free of the frame
    const double width = right() - left() - 2 * inset;
    if (span == 0) return left() + inset + width / 2;
    return left() + inset + width * (std::log2(devices) - std::log2(first_)) / span;
  }
  double y_of(double speed) const {
    const double clipped = std::clamp(speed, low_, top_);
    return bottom() - (bottom() - top()) * std::log(clipped / low_) / std::log(top_ / low_);
  }

  const spec::Point& point(std::size_t row) const {
    return report_.plan.points[report_.plan.rows[row].point];
  }
  const std::optional<stats::Estimate>& speed(std::size_t row) const {
    return report_.rows[row].speed;
  }

  // All that is measured, its intervals as far as they are of use, and the ideal.
  void look_for_ranges() {
    double low = std::numeric_limits<double>::infinity();
    double high = 0;
    first_ = std::numeric_limits<int>::max();
    const auto include = [&](double value) {
      low = std::min(low, value);
      high = std::max(high, value);
    };
    for (const Curve& curve : panel_.curves) {
      for (const std::size_t row : curve.rows) {
        first_ = std::min(first_, point(row).devices);
        last_ = std::max(last_, point(row).devices);
        if (!speed(row)) continue;
        const double value = speed(row)->value;
        include(value);
        if (const auto& interval = speed(row)->interval) {
          include(std::max(interval->low, value / 2));
          include(std::min(interval->high, value * 2));
        }
      }
    }
    if (high == 0) return;
    if (const auto base = baseline()) include(base->value * last_ / first_);
    low_ = low / 1.08;
    top_ = high * 1.08;
  }

  // Where the ideal starts: the first choice at the smallest count.
  std::optional<stats::Estimate> baseline() const {
    for (const Curve& curve : panel_.curves) {
      for (const std::size_t row : curve.rows) {
        if (point(row).devices == first_ && speed(row)) return speed(row);
      }
    }
    return std::nullopt;
  }

  void draw_axes() {
    constexpr std::string_view kGrid = "stroke=\"#e4e4e4\"";
    if (top_ > 0) {
      for (const double tick : logarithmic_ticks(low_, top_, 8)) {
        svg_.line({left(), y_of(tick)}, {right(), y_of(tick)}, kGrid);
        svg_.text({left() - 8, y_of(tick) + 4}, tick_text(tick), "text-anchor=\"end\"");
      }
    }
    std::vector<int> counts;
    for (const Curve& curve : panel_.curves) {
      for (const std::size_t row : curve.rows) counts.push_back(point(row).devices);
    }
    std::ranges::sort(counts);
    counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
    double taken = -1e9;  // up to here there is a number already
    for (const int count : counts) {
      svg_.line({x_of(count), top()}, {x_of(count), bottom()}, kGrid);
      if (x_of(count) < taken + 22) continue;
      taken = x_of(count);
      svg_.text({x_of(count), bottom() + 17}, fmt::format("{}", count), "text-anchor=\"middle\"");
    }
    svg_.path(fmt::format("M{0:.2f} {1:.2f}V{2:.2f}H{3:.2f}", left(), top(), bottom(), right()),
              "fill=\"none\" stroke=\"#222222\"");
    svg_.text({(left() + right()) / 2, bottom() + 38}, "devices", "text-anchor=\"middle\"");
    const XY side{corner_.x + 16, (top() + bottom()) / 2};
    svg_.text(side, "images/s",
              fmt::format("text-anchor=\"middle\" transform=\"rotate(-90 {:.2f} {:.2f})\"", side.x,
                          side.y));
  }

  void draw_ideal() {
    const auto base = baseline();
    if (!base || last_ == first_) return;
    const double end = base->value * last_ / first_;
    svg_.line(
        {x_of(first_), y_of(base->value)}, {x_of(last_), y_of(end)},
        fmt::format("stroke=\"{}\" stroke-width=\"1.2\" stroke-dasharray=\"6 4\"", kIdealColour));
    labels_.push_back({y_of(end), "ideal", "#666666"});
  }

  void draw_curve(const Curve& curve, std::string_view colour, std::size_t shape) {
    std::vector<XY> points;
    const auto base = baseline();
    if (curve.ceiling && base && point(curve.rows.front()).devices > first_) {
      points.push_back({x_of(first_), y_of(base->value)});  // where nobody exchanges anything yet
    }
    for (const std::size_t row : curve.rows) {
      if (speed(row)) points.push_back({x_of(point(row).devices), y_of(speed(row)->value)});
    }
    svg_.polyline(points, fmt::format("stroke=\"{}\" stroke-width=\"1.8\"{}", colour,
                                      curve.ceiling ? " stroke-dasharray=\"1.5 3\"" : ""));
    for (const std::size_t row : curve.rows) draw_point(row, curve, colour, shape);
    if (points.empty()) return;
    const std::size_t end = last_measured(curve);
    std::string text = curve.label;
    if (const auto& efficiency = report_.rows[end].efficiency;
        efficiency && point(end).devices > first_) {
      text += fmt::format("  {:.0f} %", 100 * efficiency->value);
    }
    labels_.push_back({points.back().y, text, std::string(colour)});
  }

  std::size_t last_measured(const Curve& curve) const {
    std::size_t last = curve.rows.front();
    for (const std::size_t row : curve.rows) {
      if (speed(row)) last = row;
    }
    return last;
  }

  void draw_point(std::size_t row, const Curve& curve, std::string_view colour, std::size_t shape) {
    const double x = x_of(point(row).devices);
    const stats::PointRecord& record = report_.records[report_.plan.rows[row].point];
    if (!speed(row)) {
      if (status(record) != Status::failed) return;
      const double y = bottom() - 10;
      svg_.path(fmt::format("M{:.2f} {:.2f}l8 8m0 -8l-8 8", x - 4, y - 4),
                fmt::format("stroke=\"{}\" stroke-width=\"2\" fill=\"none\"", colour),
                fmt::format("{}, {} devices: failed: {}", curve.label, point(row).devices,
                            record.failure));
      return;
    }
    const stats::Estimate& estimate = *speed(row);
    if (estimate.interval) {
      draw_whisker(x, *estimate.interval, curve.ceiling ? 7 : 3, colour);
    }
    svg_.path(marker_path({x, y_of(estimate.value)}, shape),
              fmt::format("fill=\"{}\" stroke=\"{}\" stroke-width=\"1.4\"",
                          curve.ceiling ? "#ffffff" : colour, colour),
              title_of(row, curve));
  }

  // An end beyond the frame has no cap: there is more of it.
  void draw_whisker(double x, const stats::Interval& interval, double cap,
                    std::string_view colour) {
    const std::string attributes = fmt::format("stroke=\"{}\" stroke-width=\"1.2\"", colour);
    svg_.line({x, y_of(interval.low)}, {x, y_of(interval.high)}, attributes);
    for (const double end : {interval.low, interval.high}) {
      if (end < low_ || end > top_) continue;
      svg_.line({x - cap, y_of(end)}, {x + cap, y_of(end)}, attributes);
    }
  }

  std::string title_of(std::size_t row, const Curve& curve) const {
    const stats::RowSummary& summary = report_.rows[row];
    std::string text =
        fmt::format("{}, {} device{}: {} images/s", curve.label, point(row).devices,
                    point(row).devices == 1 ? "" : "s", rounded(summary.speed->value));
    if (const auto& interval = summary.speed->interval) {
      text += fmt::format(" (95 %: {} - {})", rounded(interval->low), rounded(interval->high));
    }
    if (summary.efficiency) {
      text += fmt::format(", efficiency {:.1f} %", 100 * summary.efficiency->value);
    }
    return text;
  }

  // To the right of the last points, moved apart where they would cover each other.
  void draw_labels() {
    std::ranges::stable_sort(labels_, {}, &Label::y);
    double free = top() - kLabelHeight / 2;
    for (Label& label : labels_) {
      label.y = std::max(label.y, free + kLabelHeight / 2);
      free = label.y + kLabelHeight / 2;
    }
    double limit = bottom();
    for (Label& label :
         std::vector<std::reference_wrapper<Label>>(labels_.rbegin(), labels_.rend())) {
      label.y = std::min(label.y, limit);
      limit = label.y - kLabelHeight;
    }
    for (const Label& label : labels_) {
      svg_.text({right() + 8, label.y + 4}, label.text,
                fmt::format("font-size=\"11\" fill=\"{}\"", label.colour));
    }
  }

  const SweepReport& report_;
  const Panel& panel_;
  XY corner_;
  Svg& svg_;
  int first_ = 1, last_ = 1;  // devices
  double low_ = 0, top_ = 0;  // images/s; 0: nothing was measured
  std::vector<Label> labels_;
};

// Room for the longest label, with its efficiency.
double panel_width(const std::vector<Panel>& panels) {
  std::size_t longest = 0;
  for (const Panel& panel : panels) {
    for (const Curve& curve : panel.curves) longest = std::max(longest, curve.label.size());
  }
  return kLeft + kPlotWidth + kLetter * static_cast<double>(longest + 8) + 8;
}

}  // namespace

std::string throughput_svg(const SweepReport& report) {
  const std::vector<Panel> panels = panels_of(report);
  const std::size_t columns = std::clamp<std::size_t>(panels.size(), 1, 2);
  const std::size_t lines = (panels.size() + columns - 1) / columns;
  const double panel = panel_width(panels);
  const double width = static_cast<double>(columns) * panel;
  const double height = static_cast<double>(lines) * kPanelHeight + kFooter;
  Svg svg(width, height);
  for (std::size_t p = 0; p < panels.size(); ++p) {
    const std::size_t line = p / columns;
    const XY corner{static_cast<double>(p % columns) * panel,
                    static_cast<double>(line) * kPanelHeight};
    PanelDrawing(report, panels[p], corner, svg).draw();
  }
  svg.text({kLeft, height - 14},
           fmt::format("Whiskers: 95 % intervals over launches; %: efficiency. {}", report.machine),
           "font-size=\"10\" fill=\"#555555\"");
  return svg.str();
}

}  // namespace lockstep::report
