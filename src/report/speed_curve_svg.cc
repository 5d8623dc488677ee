#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

#include "base/text.h"
#include "report/line_chart.h"
#include "report/speed_curve.h"

namespace lockstep::report {
namespace {

// "inceptionv3_b32" is of network inceptionv3 with a batch of 32.
struct Parts {
  std::string network;
  std::string batch;  // empty: not told
};
Parts parts_of(const SpeedCurve& curve) {
  const std::size_t at = curve.name.rfind("_b");
  if (at == std::string::npos || !parse_int(curve.name.substr(at + 2))) return {curve.name, ""};
  return {curve.name.substr(0, at), curve.name.substr(at + 2)};
}

struct Spelling {
  std::string_view found, shown;
};
constexpr std::array<Spelling, 3> kNetworks = {
    {{"alexnet", "Alexnet"}, {"inceptionv3", "Inception-v3"}, {"resnet", "Resnet-152"}}};
constexpr std::array<Spelling, 2> kFrameworks = {{{"tf", "TensorFlow"}, {"mxnet", "MXNet"}}};

std::string shown(std::span<const Spelling> spellings, const std::string& name) {
  std::string key = lower(name);
  std::erase_if(key, [](unsigned char c) { return std::isalnum(c) == 0; });
  const auto known = std::ranges::find(spellings, key, &Spelling::found);
  return known == spellings.end() ? name : std::string(known->shown);
}

std::string title_of(const SpeedCurve& curve) {
  return fmt::format("{} on {}", shown(kNetworks, parts_of(curve).network),
                     shown(kFrameworks, curve.framework));
}

double base_of(const SpeedCurve& curve) {
  return curve.base.value_or(curve.speeds.begin()->second);
}

// With the speed that speed-ups refer to: they alone would hide who is faster.
std::string legend_of(const SpeedCurve& curve) {
  const int fewest = curve.speeds.begin()->first;
  const std::string batch = parts_of(curve).batch;
  return fmt::format("{}{}: {:.2f} images/s on {}", title_of(curve),
                     batch.empty() ? "" : fmt::format(", batch {}", batch), base_of(curve),
                     counted(fewest, "device"));
}

std::string tooltip(double speed_up, double speed) {
  return fmt::format("Speedup: {:.2f}, Images/Sec: {:.2f}", speed_up, speed);
}

}  // namespace

bool same_network(const SpeedCurve& a, const SpeedCurve& b) {
  return lower(shown(kNetworks, parts_of(a).network)) ==
         lower(shown(kNetworks, parts_of(b).network));
}

std::string curve_svg(const SpeedCurve& curve, std::string_view footer) {
  ChartLine measured{.label = curve.framework, .points = {}};
  ChartLine ideal{.label = "Ideal", .points = {}};
  if (!curve.speeds.empty()) {
    const auto& [fewest, base] = *curve.speeds.begin();
    measured.points = ideal.points = {{0, 0}};
    measured.titles = {""};
    for (const auto& [devices, speed] : curve.speeds) {
      measured.points.push_back({static_cast<double>(devices), speed});
      measured.titles.push_back(tooltip(speed / base * fewest, speed));
      ideal.points.push_back({static_cast<double>(devices), base * devices / fewest});
    }
  }
  return draw({.title = curve.name,
               .x_label = "Number of devices",
               .y_label = "Images/sec",
               .axes = Axes::linear_from_zero,
               .lines = {ideal, measured},
               .footer = std::string(footer)});
}

std::string comparison_svg(std::span<const SpeedCurve> curves, std::string_view title,
                           std::string_view footer) {
  LineChart chart{.title = std::string(title),
                  .x_label = "Number of devices",
                  .y_label = "Speedup",
                  .axes = Axes::logarithmic,
                  .lines = {{.label = "Ideal", .points = {}}},
                  .footer = std::string(footer)};
  std::set<int> counts;
  for (const SpeedCurve& curve : curves) {
    if (curve.speeds.empty()) continue;
    const int fewest = curve.speeds.begin()->first;
    ChartLine line{.label = legend_of(curve), .points = {}};
    for (const auto& [devices, speed] : curve.speeds) {
      counts.insert(devices);
      const double speed_up = speed / base_of(curve) * fewest;
      line.points.push_back({static_cast<double>(devices), speed_up});
      line.titles.push_back(fmt::format("{}: {}", title_of(curve), tooltip(speed_up, speed)));
    }
    chart.lines.push_back(std::move(line));
  }
  for (const int count : counts) {
    const auto both = static_cast<double>(count);
    chart.lines.front().points.push_back({both, both});
  }
  return draw(chart);
}

}  // namespace lockstep::report
