#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "report/characters.h"
#include "report/figure.h"

namespace lockstep::report {
namespace {

// What is drawn over devices.
struct Quantity {
  std::string_view column;  // of results.csv
  std::string_view axis;
  std::optional<stats::Estimate> stats::RowSummary::*of;
  bool grows;  // ideally with the devices, on a logarithmic axis; else it stays
  std::vector<double> (*ticks)(double low, double high);
  std::string (*tick_text)(double value);
  std::string (*end_text)(const stats::RowSummary& summary);  // beside the last point
};

// --- How it looks -------------------------------------------------------------------------------

constexpr std::string_view kCeilingColour = "#444444";
constexpr std::string_view kIdealLine =
    "class=\"faint\" stroke=\"#888888\" stroke-width=\"1.2\" stroke-dasharray=\"6 4\"";

constexpr double kPanelHeight = 330;
constexpr double kLeft = 64, kRight = kLeft + 270, kTop = 52, kBottom = kPanelHeight - 52;
constexpr double kLetter = 6;  // width of one in a label, about
constexpr double kLabelHeight = 14;

std::string rounded(double value) {
  return fmt::format("{:.{}f}", value, value >= 100 ? 0 : value >= 10 ? 1 : 2);
}

class PanelDrawing {
 public:
  PanelDrawing(const Quantity& quantity, const Series& series)
      : quantity_(quantity), series_(series) {
    look_for_ranges();
  }

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
    const double inset = 18;  // whiskers and markers stand free of the frame
    const double width = kRight - kLeft - 2 * inset;
    if (span == 0) return kLeft + inset + width / 2;
    return kLeft + inset + width * (std::log2(devices) - std::log2(first_)) / span;
  }
  double y_of(double value) const {
    const double clipped = std::clamp(value, low_, top_);
    const double share = quantity_.grows ? std::log(clipped / low_) / std::log(top_ / low_)
                                         : (clipped - low_) / (top_ - low_);
    return kBottom - (kBottom - kTop) * share;
  }

  const std::optional<stats::Estimate>& value(const RowView& row) const {
    return row.summary().*quantity_.of;
  }
  double ideal(double at_first, int devices) const {
    return quantity_.grows ? at_first * devices / first_ : at_first;
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
    for (const Curve& curve : series_.curves) {
      for (const RowView& row : curve.rows) {
        first_ = std::min(first_, row.point().devices);
        last_ = std::max(last_, row.point().devices);
        if (!value(row)) continue;
        const double centre = value(row)->value;
        include(centre);
        if (const auto& interval = value(row)->interval) {
          include(std::max(interval->low, centre / 2));
          include(std::min(interval->high, centre * 2));
        }
      }
    }
    if (high == 0) return;
    if (const auto base = baseline()) include(ideal(base->value, last_));
    low_ = quantity_.grows ? low / 1.08 : 0;
    top_ = high * 1.08;
  }

  // Where the ideal starts: the first choice at the smallest count.
  std::optional<stats::Estimate> baseline() const {
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
    }
    std::vector<int> counts;
    for (const Curve& curve : series_.curves) {
      for (const RowView& row : curve.rows) counts.push_back(row.point().devices);
    }
    std::ranges::sort(counts);
    counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
    // A number where there is room for it, and the last one always.
    constexpr double kRoom = 22;
    const double last = x_of(counts.back());
    double taken = -1e9;  // up to here there is a number already
    for (const int count : counts) {
      const double x = x_of(count);
      svg_.line({x, kTop}, {x, kBottom}, kGridLine);
      if (x < taken + kRoom || (x != last && x > last - kRoom)) continue;
      taken = x;
      svg_.text({x, kBottom + 17}, fmt::format("{}", count), "text-anchor=\"middle\"");
    }
    svg_.path(fmt::format("M{0:.2f} {1:.2f}V{2:.2f}H{3:.2f}", kLeft, kTop, kBottom, kRight),
              kAxisLine);
    svg_.text({(kLeft + kRight) / 2, kBottom + 38}, "devices", "text-anchor=\"middle\"");
    constexpr XY kSide{16, (kTop + kBottom) / 2};
    svg_.text(kSide, quantity_.axis,
              fmt::format("text-anchor=\"middle\" transform=\"rotate(-90 {:.2f} {:.2f})\"", kSide.x,
                          kSide.y));
  }

  void draw_ideal() {
    const auto base = baseline();
    if (!base || last_ == first_) return;
    const double end = ideal(base->value, last_);
    svg_.line({x_of(first_), y_of(base->value)}, {x_of(last_), y_of(end)}, kIdealLine);
    labels_.push_back({y_of(end), "ideal"});
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
      points.push_back({x_of(row.point().devices), y_of(value(row)->value)});
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
    if (last->point().devices > first_) text += quantity_.end_text(last->summary());
    labels_.push_back({points.back().y, text, &curve, sign(curve, colour), shape});
  }

  // By which a page can hide all that belongs to a curve.
  void begin_group(const Curve& curve) {
    svg_.begin_group(fmt::format("data-series=\"{}\"", xml_escaped(curve.label)));
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
    const double x = x_of(row.point().devices);
    if (!value(row)) {
      if (status(row.record()) != Status::failed) return;
      const double y = kBottom - 10;
      svg_.path(fmt::format("M{:.2f} {:.2f}l8 8m0 -8l-8 8", x - 4, y - 4),
                fmt::format("stroke=\"{}\" stroke-width=\"2\" fill=\"none\"", colour),
                fmt::format("{}: failed: {}", label_of(row), printable(row.record().failure, 200)));
      return;
    }
    const stats::Estimate& estimate = *value(row);
    if (estimate.interval) {
      draw_whisker(x, *estimate.interval, curve.ceiling ? 7 : 3, colour);
    }
    svg_.path(marker_path({x, y_of(estimate.value)}, shape),
              sign(curve, colour) + data_of(row, quantity_.column, estimate), title_of(row));
  }

  // An end beyond the frame has no cap: there is more of it.
  void draw_whisker(double x, const stats::Interval& interval, double cap,
                    std::string_view colour) {
    const std::string attributes =
        fmt::format("{}stroke=\"{}\" stroke-width=\"1.2\"",
                    colour == kCeilingColour ? "class=\"limit\" " : "", colour);
    svg_.line({x, y_of(interval.low)}, {x, y_of(interval.high)}, attributes);
    for (const double end : {interval.low, interval.high}) {
      if (end < low_ || end > top_) continue;
      svg_.line({x - cap, y_of(end)}, {x + cap, y_of(end)}, attributes);
    }
  }

  static std::string title_of(const RowView& row) {
    const stats::RowSummary& summary = row.summary();
    std::string text = fmt::format("{}: {} images/s", label_of(row), rounded(summary.speed->value));
    if (const auto& interval = summary.speed->interval) {
      text += fmt::format(" (95 %: {} - {})", rounded(interval->low), rounded(interval->high));
    }
    if (summary.speed_up) text += fmt::format(", speed-up {:.2f}", summary.speed_up->value);
    if (summary.efficiency) {
      text += fmt::format(", efficiency {:.1f} %", 100 * summary.efficiency->value);
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
        svg_.line({kRight + 6, label.y}, {kRight + 22, label.y}, kIdealLine);
      }
      svg_.text({kRight + 24, label.y + 4}, label.text, "font-size=\"11\"");
      if (label.curve != nullptr) svg_.end_group();
    }
  }

  const Quantity& quantity_;
  const Series& series_;
  Svg svg_;
  int first_ = 1, last_ = 1;  // devices
  double low_ = 0, top_ = 0;  // of the quantity; 0: nothing was measured
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
std::vector<double> share_ticks(double, double high) {
  return linear_ticks(high, 8);
}

// 950, 25k, 1.2M: there is little room beside the axis.
std::string number_text(double value) {
  if (value >= 1e6) return fmt::format("{:.4g}M", value / 1e6);
  if (value >= 1e4) return fmt::format("{:.4g}k", value / 1e3);
  return fmt::format("{:.4g}", value);
}
std::string whole_percent(double share) {
  return fmt::format("{:.0f} %", 100 * share);
}

std::string efficiency_beside(const stats::RowSummary& summary) {
  return summary.efficiency ? "  " + whole_percent(summary.efficiency->value) : "";
}
std::string speed_up_beside(const stats::RowSummary& summary) {
  return "  " + ratio_text(summary.speed_up->value);
}

constexpr Quantity kThroughput = {.column = "images_per_s",
                                  .axis = "images/s",
                                  .of = &stats::RowSummary::speed,
                                  .grows = true,
                                  .ticks = speed_ticks,
                                  .tick_text = number_text,
                                  .end_text = efficiency_beside};
constexpr Quantity kSpeedUp = {.column = "speedup",
                               .axis = "speed-up",
                               .of = &stats::RowSummary::speed_up,
                               .grows = true,
                               .ticks = doubling_ticks,
                               .tick_text = number_text,
                               .end_text = speed_up_beside};
constexpr Quantity kEfficiency = {.column = "efficiency",
                                  .axis = "efficiency",
                                  .of = &stats::RowSummary::efficiency,
                                  .grows = false,
                                  .ticks = share_ticks,
                                  .tick_text = whole_percent,
                                  .end_text = efficiency_beside};

// What is relative to a baseline says nothing of the baseline itself.
bool shows_something(const Quantity& quantity, const Series& series) {
  if (quantity.of == &stats::RowSummary::speed) return true;  // also that there is none
  for (const Curve& curve : series.curves) {
    for (const RowView& row : curve.rows) {
      const stats::RowSummary& summary = row.summary();
      if (summary.*quantity.of && row.point().devices != summary.baseline_devices) return true;
    }
  }
  return false;
}

Figure figure(std::span<const SweepReport> reports, const Quantity& quantity, std::string name,
              std::string title, std::string caption) {
  const std::vector<Series> series = series_of(reports);
  Figure figure{.name = std::move(name),
                .title = std::move(title),
                .caption = std::move(caption),
                .size = {panel_width(series), kPanelHeight},
                .panels = {}};
  for (const Series& one : series) {
    if (!shows_something(quantity, one)) continue;
    figure.panels.push_back({fmt::format("{} of {}, {}", figure.title, one.title, one.subtitle),
                             PanelDrawing(quantity, one).draw()});
  }
  return figure;
}

}  // namespace

Figure throughput_figure(std::span<const SweepReport> reports) {
  return figure(reports, kThroughput, "throughput", "Throughput",
                "Whiskers: 95 % intervals over launches; %: efficiency.");
}

Figure speed_up_figure(std::span<const SweepReport> reports) {
  return figure(reports, kSpeedUp, "speed_up", "Speed-up",
                "Whiskers: 95 % intervals over launches.");
}

Figure efficiency_figure(std::span<const SweepReport> reports) {
  return figure(reports, kEfficiency, "efficiency", "Efficiency",
                "Whiskers: 95 % intervals over launches; 100 %: as fast as the baseline, times the "
                "devices.");
}

std::string throughput_svg(const SweepReport& report, std::size_t most_columns) {
  return svg_file(throughput_figure({&report, 1}), report.machine, most_columns);
}

}  // namespace lockstep::report
