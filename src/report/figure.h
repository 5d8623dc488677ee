#pragma once

#include <span>
#include <string>
#include <vector>

#include "report/row_view.h"
#include "report/step_series.h"
#include "report/svg.h"

namespace lockstep::report {

// Panels of one size. A page shows them one by one, a file all of them.
struct Figure {
  struct Panel {
    std::string label;
    Svg drawing;
  };
  std::string name;  // of its file, without .svg
  std::string title;
  std::string caption;        // how to read it
  XY size;                    // of a panel
  std::vector<Panel> panels;  // none: there is nothing to draw it from
};

// The names of all figures that there are, drawn or not.
inline constexpr std::string_view kFigureNames[] = {"throughput",  "speed_up",  "efficiency",
                                                    "io_overhead", "step_time", "waiting",
                                                    "collectives", "steps"};

std::string svg_file(const Figure& figure, std::string_view machine, std::size_t most_columns = 4);

// Over devices, a panel per series: with the ideal, the limit without exchange, and intervals.
Figure throughput_figure(std::span<const result::SweepResults> reports);
Figure speed_up_figure(std::span<const result::SweepResults> reports);
Figure efficiency_figure(std::span<const result::SweepResults> reports);
// What cached and real images cost, where a sweep compares them with synthetic ones.
Figure io_overhead_figure(std::span<const result::SweepResults> reports);

// What the mean step consists of, a bar per row.
Figure step_time_figure(std::span<const result::SweepResults> reports);

// How long each rank waits for others, a line of cells per row with several ranks.
Figure waiting_figure(std::span<const result::SweepResults> reports);

// The time of every step of a launch, with the warm-up cut, a panel per point.
Figure steps_figure(std::span<const StepSeries> series);

}  // namespace lockstep::report
