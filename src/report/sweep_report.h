#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "result/directory.h"
#include "result/metrics.h"

namespace lockstep::report {

// "replicated", "parameter_server, 2 servers, NHWC": what tells points with as many devices and the
// same kind of images apart.
std::string choice_text(const spec::Point& point);
// The same with the kind of images, where several are compared.
std::string configuration(const spec::Point& point);

// Whether it tells what images of files cost: some row has an I/O overhead.
bool compares_inputs(const result::SweepResults& report);

// As many digits of a speed as the eye can use: 1234, 123.4, 1.23.
std::string speed_text(double images_per_second);

// "1.23", "93.1 %".
std::string ratio_text(double ratio);
std::string percent_text(double share);

// How a metric that follows from launches of a row is printed.
std::string (*estimate_text(const result::Metric& metric))(double);

// The speed of a row; "failed" or "not measured" where there is none.
std::string speed_or_status(const stats::PointRecord& record, const stats::RowSummary& row);

// For people: speeds, speed-ups and efficiencies with their intervals; below it what the marks
// mean, and the failed points with their causes. Columns that a terminal of this width has no room
// for are left out, and named.
inline constexpr std::size_t kAnyWidth = SIZE_MAX;
std::string sweep_table(const result::SweepResults& report, std::size_t width = kAnyWidth);

// The file results.csv, a line per row of the plans: docs/formats.md.
inline constexpr int kResultsVersion = 1;
std::string results_csv(std::span<const result::SweepResults> reports);

// The file summary.csv: the same rows, with what fits a spreadsheet's window.
std::string summary_csv(std::span<const result::SweepResults> reports);

// A number as results.csv has it: with more digits than any measurement.
std::string plain_number(double value);

// The file throughput.svg: speed over devices, see figure.h.
std::string throughput_svg(const result::SweepResults& report, std::size_t most_columns = 4);

}  // namespace lockstep::report
