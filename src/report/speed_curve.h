#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/sweep_report.h"

namespace lockstep::report {

// How fast one network is on each number of devices, and nothing else: what the files of earlier
// scalability tests hold. docs/formats.md describes them.
struct SpeedCurve {
  std::string name;                // of its files: "inceptionv3_b32"
  std::string framework;           // "lockstep"; of its directory: "csv_lockstep"
  std::map<int, double> speeds{};  // images per second of all devices, by their number
  // What speed-ups refer to; not set: the speed on the fewest devices.
  std::optional<double> base = {};
};

inline constexpr std::string_view kOwnFramework = "lockstep";

// Whether a row is part of a curve, and what that is called: "inceptionv3_b32".
bool is_of_curve(const spec::Row& row);
std::string curve_name(const spec::Plan& plan, const spec::Row& row);

// The curve of every network and batch size that is scaled weakly; of several configurations the
// fastest for each number of devices. What was not measured is not there.
std::vector<SpeedCurve> speed_curves(const result::SweepResults& report);

// NAME.csv: a line "devices,images per second" for each point.
std::string curve_csv(const SpeedCurve& curve);
// NAME.csv.ideal: the same if every device were as fast as those of the smallest number.
std::string ideal_csv(const SpeedCurve& curve);
// Reads what `curve_csv` writes, below a line of names or none; nothing for any other text.
std::optional<std::map<int, double>> parse_curve_csv(std::string_view text);

// The zoo's name of the network that files NAME_bBATCH.csv of the earlier tests are of.
std::string model_of_curve(std::string_view name);

// Whether two curves are of the same network, whatever the batch and however it is spelled.
bool same_network(const SpeedCurve& a, const SpeedCurve& b);

// NAME.svg: the curve and its ideal, from (0, 0) on. `footer`: one line below the drawing.
std::string curve_svg(const SpeedCurve& curve, std::string_view footer);
// comparison_graph.svg: each curve's speed-up over its base; the legend says what that is in images
// per second.
std::string comparison_svg(std::span<const SpeedCurve> curves, std::string_view title,
                           std::string_view footer);

}  // namespace lockstep::report
