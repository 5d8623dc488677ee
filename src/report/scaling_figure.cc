#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <set>

#include "base/text.h"
#include "report/characters.h"
#include "report/figure.h"

namespace lockstep::report {
namespace {

// What a quantity ideally does when there are more devices.
enum class Ideal { grows, stays, is_zero };

// What is drawn over devices.
struct Quantity {
  std::string_view column;  // of results.csv
  std::string_view axis;
  std::optional<stats::Estimate> stats::RowSummary::*of;
  Ideal ideal;  // of what grows with the devices the axis is logarithmic
  std::string_view ideal_text;
  std::vector<double> (*ticks)(double low, double high);
  std::string (*tick_text)(double value);
  std::string (*end_text)(const stats::RowSummary& summary);  // beside the last point
};

// --- How it looks -------------------------------------------------------------------------------

constexpr std::string_view kCeilingColour = "#444444";
constexpr std::string_view kIdealLine =
    "class=\"faint\" stroke=\"#888888\" stroke-width=\"1.2\" stroke-dasharray=\"6 4\"";

constexpr double kPanelHeight = 330;
constexpr double kLeft = 68, kRight = kLeft + 270, kTop = 52, kBottom = kPanelHeight - 52;
constexpr double kLetter = 6;  // width of one in a label, about
constexpr double kLabelHeight = 14;
constexpr double kInset = 18;  // whiskers and markers stand free of the frame
// From a curve's marker to that of the next one with as many devices, at most.
constexpr double kAside = 6;
// Shares around zero: how much of an interval is of use, and how far the axis goes at least.
constexpr double kFarFromZero = 0.5, kLeastTop = 0.1;

std::string rounded(double value) {
  return fmt::format("{:.{}f}", value, value >= 100 ? 0 : value >= 10 ? 1 : 2);
}

// What the eye sees first must not be what is least certain.
constexpr const char* kPale = " fill-opacity=\"0.25\"";

// What others measured does not say so.
bool unstable(const RowView& row) {
  return std::ranges::any_of(row.record().launches, [](const auto& launch) {
    return launch && !launch->imported && !launch->stable;
  });
}

class PanelDrawing {
 public:
  PanelDrawing(const Quantity& quantity, const Series& series)
      : quantity_(quantity), series_(series) {
    look_for_ranges();
  }

  // Whether a whisker leaves the frame, once it is drawn.
  bool cut_off() const { return cut_off_; }

  Svg draw() {
    svg_.text({kLeft, 20}, series_.title, "font-size=\"15\" font-weight=\"bold\"");
    svg_.text({kLeft, 37}, series_.subtitle, kSoftText);
    draw_axes();
    if (top_ == 0) {
      svg_.text({(kLeft + kRight) / 2, (kTop + kBottom) / 2}, "nothing was measured",
                fmt::format("{} text-anchor=\"middle\"", kSoftText));
    }
    draw_ideal();
    for (const Curve& curve : series_.curves) {  // limits lie below what they limit
      if (curve.ceiling) draw_curve(curve, kCeilingColour, 0);
    }
    std::size_t colour = 0;
    for (const Curve& curve : series_.curves) {
      if (curve.ceiling) continue;
      draw_curve(curve, series_colour(colour), colour);
      ++colour;
    }
    draw_labels();
    return std::move(svg_);
  }

 private:
  struct Label {
    double y = 0;
    std::string text;
    const Curve* curve = nullptr;  // null: of the ideal
    std::string sign = {};         // attributes of the curve's marker
    std::size_t shape = 0;
  };

  double x_of(double devices) const {
    const double span = std::log2(last_) - std::log2(first_);
    const double width = kRight - kLeft - 2 * kInset;
    if (span == 0) return kLeft + kInset + width / 2;
    return kLeft + kInset + width * (std::log2(devices) - std::log2(first_)) / span;
  }
  // Curves stand side by side, so that no whisker covers another: within the frame, and nearer to
  // their own number of devices than to the next.
  double x_of(double devices, const Curve& curve) const {
    const auto curves = static_cast<double>(series_.curves.size());
    const auto index = static_cast<double>(&curve - series_.curves.data());
    const double room = std::min(kInset * 1.5, closest_ / 2);
    const double aside = std::min(kAside, room / curves);
    return x_of(devices) + aside * (index - (curves - 1) / 2);
  }
  double y_of(double value) const {
    const double clipped = std::clamp(value, low_, top_);
    const double share = grows() ? std::log(clipped / low_) / std::log(top_ / low_)
                                 : (clipped - low_) / (top_ - low_);
    return kBottom - (kBottom - kTop) * share;
  }

  const std::optional<stats::Estimate>& value(const RowView& row) const {
    return row.summary().*quantity_.of;
  }
  bool grows() const { return quantity_.ideal == Ideal::grows; }
  bool around_zero() const { return quantity_.ideal == Ideal::is_zero; }
  double ideal(double at_first, int devices) const {
    return grows() ? at_first * devices / first_ : at_first;
  }

  // All that is measured, its intervals as far as they are of use, and the ideal.
  void look_for_ranges() {
    look_for_counts();
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    const auto include = [&](double value) {
      low = std::min(low, value);
      high = std::max(high, value);
    };
    for (const Curve& curve : series_.curves) {
      for (const RowView& row : curve.rows) {
        if (!value(row)) continue;
        const double centre = value(row)->value;
        include(centre);
        if (const auto& interval = value(row)->interval) {
          const double far = around_zero() ? kFarFromZero : centre;
          include(std::max(interval->low, centre - far / 2));
          include(std::min(interval->high, centre + far));
        }
      }
    }
    if (low > high) return;
    if (const auto base = baseline()) include(ideal(base->value, last_));
    low_ = grows() ? low / 1.08 : low < 0 ? low - 0.08 * (high - low) : 0;
    top_ = around_zero() ? std::max(high * 1.08, kLeastTop) : high * 1.08;
  }

  void look_for_counts() {
    for (const Curve& curve : series_.curves) {
      for (const RowView& row : curve.rows) counts_.insert(row.point().devices);
    }
    first_ = *counts_.begin();
    last_ = *counts_.rbegin();
    double before = -std::numeric_limits<double>::infinity();
    for (const int count : counts_) {
      closest_ = std::min(closest_, x_of(count) - before);
      before = x_of(count);
    }
  }

  // Where the ideal starts: the first choice at the smallest count.
  std::optional<stats::Estimate> baseline() const {
    if (around_zero()) return stats::Estimate{.value = 0, .interval = {}};
    for (const Curve& curve : series_.curves) {
      for (const RowView& row : curve.rows) {
        if (row.point().devices == first_ && value(row)) return value(row);
      }
    }
    return std::nullopt;
  }

  void draw_axes() {
    if (top_ > 0) {
      for (const double tick : quantity_.ticks(low_, top_)) {
        svg_.line({kLeft, y_of(tick)}, {kRight, y_of(tick)}, kGridLine);
        svg_.text({kLeft - 8, y_of(tick) + 4}, quantity_.tick_text(tick), "text-anchor=\"end\"");
      }
      if (grows()) draw_minor_ticks();
    }
    // A number where there is room for it, and the last one always.
    constexpr double kRoom = 22;
    const double last = x_of(last_);
    double taken = -1e9;  // up to here there is a number already
    for (const int count : counts_) {
      const double x = x_of(count);
      svg_.line({x, kTop}, {x, kBottom}, kGridLine);
      if (x < taken + kRoom || (x != last && x > last - kRoom)) continue;
      taken = x;
      svg_.text({x, kBottom + 17}, fmt::format("{}", count), "text-anchor=\"middle\"");
    }
    svg_.path(fmt::format("M{0:.2f} {1:.2f}V{2:.2f}H{3:.2f}", kLeft, kTop, kBottom, kRight),
              kAxisLine);
    svg_.text({(kLeft + kRight) / 2, kBottom + 38}, log_scale("devices"), "text-anchor=\"middle\"");
    constexpr XY kSide{13, (kTop + kBottom) / 2};
    svg_.text(kSide, grows() ? log_scale(quantity_.axis) : std::string(quantity_.axis),
              fmt::format("text-anchor=\"middle\" transform=\"rotate(-90 {:.2f} {:.2f})\"", kSide.x,
                          kSide.y));
  }

  void draw_minor_ticks() {
    constexpr double kLength = 4;
    for (const double tick : minor_ticks(low_, top_)) {
      svg_.line({kLeft - kLength, y_of(tick)}, {kLeft, y_of(tick)}, kAxisLine);
    }
  }

  void draw_ideal() {
    const auto base = baseline();
    if (!base || last_ == first_) return;
    const double end = ideal(base->value, last_);
    svg_.line({x_of(first_), y_of(base->value)}, {x_of(last_), y_of(end)}, kIdealLine);
    labels_.push_back({y_of(end), std::string(quantity_.ideal_text)});
  }

  void draw_curve(const Curve& curve, std::string_view colour, std::size_t shape) {
    std::vector<XY> points;
    const RowView* last = nullptr;
    const auto base = baseline();
    if (curve.ceiling && base && curve.rows.front().point().devices > first_) {
      points.push_back({x_of(first_), y_of(base->value)});  // where nobody exchanges anything yet
    }
    for (const RowView& row : curve.rows) {
      if (!value(row)) continue;
      points.push_back({x_of(row.point().devices, curve), y_of(value(row)->value)});
      last = &row;
    }
    begin_group(curve);
    svg_.polyline(points, fmt::format("{}stroke=\"{}\" stroke-width=\"1.8\"{}",
                                      curve.ceiling ? "class=\"limit\" " : "", colour,
                                      curve.ceiling ? " stroke-dasharray=\"1.5 3\"" : ""));
    for (const RowView& row : curve.rows) draw_point(row, curve, colour, shape);
    svg_.end_group();
    if (last == nullptr) return;
    std::string text = curve.label;
    const bool tells = around_zero() || last->point().devices > first_;
    if (tells) text += quantity_.end_text(last->summary());
    labels_.push_back({points.back().y, text, &curve, sign(curve, colour), shape});
  }

  // By which a page can hide all that belongs to a curve.
  void begin_group(const Curve& curve) {
    svg_.begin_group(fmt::format("data-series=\"{}\"", xml_escaped(choice_of(curve.rows[0]))));
  }

  static std::string sign(const Curve& curve, std::string_view colour) {
    if (curve.ceiling) {
      return fmt::format("class=\"hollow\" fill=\"#ffffff\" stroke=\"{}\" stroke-width=\"1.4\"",
                         colour);
    }
    return fmt::format("fill=\"{0}\" stroke=\"{0}\" stroke-width=\"1.4\"", colour);
  }

  void draw_point(const RowView& row, const Curve& curve, std::string_view colour,
                  std::size_t shape) {
    const double x = x_of(row.point().devices, curve);
    if (!value(row)) {
      if (status(row.record()) != stats::Status::failed) return;
      const double y = kBottom - 10;
      svg_.path(fmt::format("M{:.2f} {:.2f}l8 8m0 -8l-8 8", x - 4, y - 4),
                fmt::format("stroke=\"{}\" stroke-width=\"2\" fill=\"none\"", colour),
                fmt::format("{}: failed: {}", label_of(row), printable(row.record().failure, 200)));
      return;
    }
    const stats::Estimate& estimate = *value(row);
    if (estimate.interval) {
      draw_whisker(x, *estimate.interval, colour);
    }
    svg_.path(marker_path({x, y_of(estimate.value)}, shape),
              sign(curve, colour) + (unstable(row) ? kPale : "") +
                  data_of(row, quantity_.column, estimate),
              title_of(row, curve));
  }

  // An end beyond the frame is a triangle that points there.
  void draw_whisker(double x, const stats::Interval& interval, std::string_view colour) {
    constexpr double kCap = 3, kPoint = 7;
    const std::string_view limit = colour == kCeilingColour ? "class=\"limit\" " : "";
    const std::string stroke = fmt::format("{}stroke=\"{}\" stroke-width=\"1.2\"", limit, colour);
    svg_.line({x, y_of(interval.low)}, {x, y_of(interval.high)}, stroke);
    for (const double end : {interval.low, interval.high}) {
      const double y = y_of(end);
      if (end >= low_ && end <= top_) {
        svg_.line({x - kCap, y}, {x + kCap, y}, stroke);
        continue;
      }
      cut_off_ = true;
      const double back = end > top_ ? kPoint : -kPoint;
      svg_.path(fmt::format("M{:.2f} {:.2f}l4 {:.2f}h-8z", x, y, back),
                fmt::format("class=\"cut-off\" fill=\"{}\"", colour),
                fmt::format("the 95 % interval reaches {}", quantity_.tick_text(end)));
    }
  }

  static std::string title_of(const RowView& row, const Curve& curve) {
    const stats::RowSummary& summary = row.summary();
    std::string text =
        fmt::format("{}, {}: {} images/s", curve.label, counted(row.point().devices, "device"),
                    rounded(summary.speed->value));
    if (const auto& interval = summary.speed->interval) {
      text += fmt::format(" (95 %: {} - {})", rounded(interval->low), rounded(interval->high));
    }
    if (summary.speed_up) text += fmt::format(", speed-up {:.2f}", summary.speed_up->value);
    if (summary.efficiency) {
      text += fmt::format(", efficiency {:.1f} %", 100 * summary.efficiency->value);
    }
    if (summary.io_overhead) {
      text += fmt::format(", I/O overhead {:.1f} %", 100 * summary.io_overhead->value);
    }
    return text;
  }

  // To the right of the last points, moved apart where they would cover each other.
  void draw_labels() {
    std::ranges::stable_sort(labels_, {}, &Label::y);
    double free = kTop - kLabelHeight / 2;
    for (Label& label : labels_) {
      label.y = std::max(label.y, free + kLabelHeight / 2);
      free = label.y + kLabelHeight / 2;
    }
    double limit = kBottom;
    for (Label& label :
         std::vector<std::reference_wrapper<Label>>(labels_.rbegin(), labels_.rend())) {
      label.y = std::min(label.y, limit);
      limit = label.y - kLabelHeight;
    }
    for (const Label& label : labels_) {
      if (label.curve != nullptr) {
        begin_group(*label.curve);
        svg_.path(marker_path({kRight + 14, label.y}, label.shape), label.sign);
      } else {
        svg_.line({kRight + 4, label.y}, {kRight + 20, label.y}, kIdealLine);
      }
      svg_.text({kRight + 24, label.y + 4}, label.text, "font-size=\"11\"");
      if (label.curve != nullptr) svg_.end_group();
    }
  }

  const Quantity& quantity_;
  const Series& series_;
  Svg svg_;
  std::set<int> counts_;  // of devices
  int first_ = 1, last_ = 1;
  double closest_ = std::numeric_limits<double>::infinity();  // two of them in the drawing
  double low_ = 0, top_ = 0;  // of the quantity; 0: nothing was measured
  bool cut_off_ = false;
  std::vector<Label> labels_;
};

// Room for the longest label, with what stands behind it.
double panel_width(const std::vector<Series>& series) {
  std::size_t longest = 0;
  for (const Series& one : series) {
    for (const Curve& curve : one.curves) longest = std::max(longest, curve.label.size());
  }
  return kRight + 24 + kLetter * static_cast<double>(longest + 8);
}

// 1, 2, 4, ...
std::vector<double> doubling_ticks(double low, double high) {
  std::vector<double> ticks;
  for (double tick = std::exp2(std::ceil(std::log2(low))); tick <= high; tick *= 2) {
    ticks.push_back(tick);
  }
  return ticks;
}

std::vector<double> speed_ticks(double low, double high) {
  return logarithmic_ticks(low, high, 8);
}
// Of efficiencies, every 10 %: 50 %, 90 % and 100 % are what people look for.
std::vector<double> efficiency_ticks(double, double high) {
  return linear_ticks(high, 13);
}
std::vector<double> overhead_ticks(double low, double high) {
  const double step = linear_ticks(high - low, 8)[1];
  std::vector<double> ticks;
  for (double i = std::ceil(low / step); i * step <= high; ++i) ticks.push_back(i * step);
  return ticks;
}

// 950, 25k, 1.2M: there is little room beside the axis.
std::string number_text(double value) {
  if (value >= 1e6) return fmt::format("{:.4g}M", value / 1e6);
  if (value >= 1e4) return fmt::format("{:.4g}k", value / 1e3);
  return fmt::format("{:.4g}", value);
}
std::string whole_percent(double share) {
  return fmt::format("{:.0f} %", std::round(100 * share) + 0.0);  // not -0
}

std::string efficiency_beside(const stats::RowSummary& summary) {
  return summary.efficiency ? "  " + whole_percent(summary.efficiency->value) : "";
}
std::string overhead_beside(const stats::RowSummary& summary) {
  return "  " + whole_percent(summary.io_overhead->value);
}
std::string speed_up_beside(const stats::RowSummary& summary) {
  return "  " + ratio_text(summary.speed_up->value);
}

constexpr Quantity kThroughput = {.column = "images_per_s",
                                  .axis = "images/s",
                                  .of = &stats::RowSummary::speed,
                                  .ideal = Ideal::grows,
                                  .ideal_text = "ideal",
                                  .ticks = speed_ticks,
                                  .tick_text = number_text,
                                  .end_text = efficiency_beside};
constexpr Quantity kSpeedUp = {.column = "speedup",
                               .axis = "speed-up",
                               .of = &stats::RowSummary::speed_up,
                               .ideal = Ideal::grows,
                               .ideal_text = "ideal",
                               .ticks = doubling_ticks,
                               .tick_text = number_text,
                               .end_text = speed_up_beside};
constexpr Quantity kEfficiency = {.column = "efficiency",
                                  .axis = "efficiency",
                                  .of = &stats::RowSummary::efficiency,
                                  .ideal = Ideal::stays,
                                  .ideal_text = "ideal",
                                  .ticks = efficiency_ticks,
                                  .tick_text = whole_percent,
                                  .end_text = efficiency_beside};
constexpr Quantity kOverhead = {.column = "io_overhead",
                                .axis = "I/O overhead",
                                .of = &stats::RowSummary::io_overhead,
                                .ideal = Ideal::is_zero,
                                .ideal_text = "synthetic",
                                .ticks = overhead_ticks,
                                .tick_text = whole_percent,
                                .end_text = overhead_beside};

// What is relative to a baseline says nothing of the baseline itself.
bool shows_something(const Quantity& quantity, const Series& series) {
  if (quantity.of == &stats::RowSummary::speed) return true;  // also that there is none
  for (const Curve& curve : series.curves) {
    for (const RowView& row : curve.rows) {
      const stats::RowSummary& summary = row.summary();
      if (!(summary.*quantity.of)) continue;
      if (&quantity == &kOverhead || row.point().devices != summary.baseline_devices) return true;
    }
  }
  return false;
}

bool any_row(const std::vector<Series>& all, bool (*is)(const RowView& row)) {
  return std::ranges::any_of(all, [&](const Series& series) {
    return std::ranges::any_of(
        series.curves, [&](const Curve& curve) { return std::ranges::any_of(curve.rows, is); });
  });
}

bool has_failed(const RowView& row) {
  return status(row.record()) == stats::Status::failed;
}

Figure figure(const std::vector<Series>& series, const Quantity& quantity, std::string name,
              std::string title, std::string caption) {
  Figure figure{.name = std::move(name),
                .title = std::move(title),
                .caption = std::move(caption),
                .size = {panel_width(series), kPanelHeight},
                .panels = {}};
  bool cut_off = false;
  for (const Series& one : series) {
    if (!shows_something(quantity, one)) continue;
    PanelDrawing drawing(quantity, one);
    figure.panels.push_back(
        {fmt::format("{} of {}, {}", figure.title, one.title, one.subtitle), drawing.draw()});
    cut_off = cut_off || drawing.cut_off();
  }
  if (cut_off) figure.caption += " Triangles at the edge: the interval goes beyond it.";
  if (any_row(series, unstable)) figure.caption += " Pale: not stable.";
  if (any_row(series, has_failed)) figure.caption += " Crosses: failed.";
  return figure;
}

}  // namespace

Figure throughput_figure(std::span<const result::SweepResults> reports) {
  return figure(series_of(reports), kThroughput, "throughput", "Throughput",
                "Whiskers: 95 % intervals over launches; %: efficiency.");
}

Figure speed_up_figure(std::span<const result::SweepResults> reports) {
  return figure(series_of(reports), kSpeedUp, "speed_up", "Speed-up",
                "Whiskers: 95 % intervals over launches.");
}

Figure efficiency_figure(std::span<const result::SweepResults> reports) {
  return figure(series_of(reports), kEfficiency, "efficiency", "Efficiency",
                "Whiskers: 95 % intervals over launches; 100 %: as fast as the baseline, times the "
                "devices.");
}

Figure io_overhead_figure(std::span<const result::SweepResults> reports) {
  return figure(input_series_of(reports), kOverhead, "io_overhead", "I/O overhead",
                "Share of the speed with synthetic images that others cost. Whiskers: 95 % "
                "intervals over launches.");
}

std::string throughput_svg(const result::SweepResults& report, std::size_t most_columns) {
  return svg_file(throughput_figure({&report, 1}), report.machine, most_columns);
}

}  // namespace lockstep::report
