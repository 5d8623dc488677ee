#pragma once

#include <string>
#include <vector>

#include "report/svg.h"

namespace lockstep::report {

// A line of a chart through its points, each with a text that shows when the mouse is over it.
struct ChartLine {
  std::string label;
  std::vector<XY> points;
  std::vector<std::string> titles = {};  // by point; empty: a dashed line without markers
};

enum class Axes {
  linear_from_zero,  // both of them
  logarithmic,       // both
  bytes_from_zero,   // logarithmic numbers of bytes, and what is from 0 on
  logarithmic_bytes  // both logarithmic, the first in bytes
};

// Lines in one frame, with a legend below it. Every point's x has a tick.
struct LineChart {
  std::string title;
  std::string x_label, y_label;
  Axes axes = Axes::linear_from_zero;
  std::vector<ChartLine> lines;
  std::string footer;
  std::string subtitle = {};
};
std::string draw(const LineChart& chart);

// The same as part of another drawing.
XY size_of(const LineChart& chart);
Svg drawing_of(const LineChart& chart);

}  // namespace lockstep::report
