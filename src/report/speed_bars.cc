#include "report/speed_bars.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/table.h"
#include "base/terminal.h"
#include "base/text.h"
#include "report/characters.h"
#include "report/row_view.h"

namespace lockstep::report {
namespace {

constexpr std::size_t kLongestSpeedBar = 60;
constexpr std::size_t kShortestSpeedBar = 8;
constexpr double kShareOfTheLongest = 0.8;  // of the room; the rest is for intervals

// "2 replicated": devices first, so that they stand below each other.
std::string bar_label(const RowView& row, std::size_t most) {
  return fmt::format("{:>3} {}", row.point().devices, printable(choice_text(row.point()), most));
}

// '#' and '=' up to the speed, '=' and '+' within the interval, '>' where that leaves the chart.
std::string speed_bar(const stats::Estimate& speed, double scale, std::size_t room) {
  const auto cells = [&](double value) {
    return static_cast<std::size_t>(std::lround(std::min(scale * value, double(room))));
  };
  const stats::Interval interval =
      speed.interval.value_or(stats::Interval{speed.value, speed.value});
  const std::size_t low = cells(interval.low);
  const std::size_t middle = std::max(cells(speed.value), std::size_t{1});
  const std::size_t high = cells(interval.high);
  std::string bar(std::max(middle, high), '+');
  std::fill_n(bar.begin(), middle, '=');
  std::fill_n(bar.begin(), speed.interval ? std::min(low, middle) : middle, '#');
  if (scale * interval.high > static_cast<double>(room)) bar.back() = '>';
  return bar;
}

std::string wrapped_lines(std::string_view text, std::size_t width) {
  return join(wrap(text, width), "\n") + '\n';
}

std::string bar_panel(const Series& series, std::size_t width, bool colour) {
  std::vector<RowView> rows;
  for (const Curve& curve : series.curves)
    rows.insert(rows.end(), curve.rows.begin(), curve.rows.end());
  std::ranges::stable_sort(rows, {}, [](const RowView& row) { return row.row().point; });
  const std::size_t most_label = std::max<std::size_t>(width / 3, 12);
  std::size_t labels = 0;
  std::size_t numbers = 0;
  double longest = 0;
  for (const RowView& row : rows) {
    labels = std::max(labels, width_of(bar_label(row, most_label)));
    numbers = std::max(numbers, width_of(speed_or_status(row.record(), row.summary())));
    if (row.summary().speed) longest = std::max(longest, row.summary().speed->value);
  }
  const std::size_t taken = labels + numbers + 2;
  const std::size_t room = width > taken ? std::min(width - taken, kLongestSpeedBar) : 0;
  std::string text = wrapped_lines(fmt::format("{}, {}", series.title, series.subtitle), width);
  for (const RowView& row : rows) {
    const auto& speed = row.summary().speed;
    const std::string number = speed_or_status(row.record(), row.summary());
    text += fmt::format("{:<{}} {}{}", bar_label(row, most_label), labels,
                        std::string(numbers - std::min(numbers, width_of(number)), ' '),
                        speed ? number : paint(number, Colour::red, colour));
    if (speed && room >= kShortestSpeedBar && longest > 0) {
      const double scale = kShareOfTheLongest * static_cast<double>(room) / longest;
      text += ' ' + paint(speed_bar(*speed, scale, room), Colour::cyan, colour);
    }
    text += '\n';
  }
  return text;
}

}  // namespace

std::string speed_bars(const result::SweepResults& report, std::size_t width, bool colour) {
  std::string text;
  bool intervals = false;
  for (const Series& series : series_of({&report, 1})) {
    text += (text.empty() ? "" : "\n") + bar_panel(series, width, colour);
  }
  for (const stats::RowSummary& row : report.rows) {
    intervals = intervals || (row.speed && row.speed->interval);
  }
  if (text.empty()) return text;
  text = "images/s, by devices\n\n" + text;
  if (!intervals) return text;
  return text + '\n' +
         wrapped_lines("= and +: the 95 % interval, below and above the speed", width);
}

}  // namespace lockstep::report
