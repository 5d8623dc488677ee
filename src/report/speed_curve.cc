#include "report/speed_curve.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.h"

namespace lockstep::report {
namespace {

constexpr int kMostDevices = 1 << 24;

// The networks of the earlier tests, which had plain names for what the zoo tells from others.
struct EarlierName {
  std::string_view model, name;
};
constexpr std::array<EarlierName, 3> kEarlierNames = {
    {{"alexnet_ab", "alexnet"}, {"inception3_aux", "inceptionv3"}, {"resnet152_ab", "resnet"}}};

// The zoo has an alexnet of its own: where a sweep measures both, each keeps its name.
std::string_view name_of(const spec::Plan& plan, std::string_view model) {
  const auto found = std::ranges::find(kEarlierNames, model, &EarlierName::model);
  if (found == kEarlierNames.end()) return model;
  const bool taken = std::ranges::count(plan.points, found->name, &spec::Point::model) > 0;
  return taken ? model : found->name;
}

}  // namespace

bool is_of_curve(const spec::Row& row) {
  return !row.is_ceiling && row.scaling == spec::Scaling::weak;
}

std::string curve_name(const spec::Plan& plan, const spec::Row& row) {
  return fmt::format("{}_b{}", name_of(plan, plan.points[row.point].model), row.series_batch);
}

std::string model_of_curve(std::string_view name) {
  const auto found = std::ranges::find(kEarlierNames, name, &EarlierName::name);
  return std::string(found == kEarlierNames.end() ? name : found->model);
}

std::vector<SpeedCurve> speed_curves(const result::SweepResults& report) {
  std::vector<SpeedCurve> curves;
  for (std::size_t r = 0; r < report.plan.rows.size(); ++r) {
    const spec::Row& row = report.plan.rows[r];
    if (!is_of_curve(row)) continue;
    const spec::Point& point = report.plan.points[row.point];
    const std::string name = curve_name(report.plan, row);
    auto curve = std::ranges::find(curves, name, &SpeedCurve::name);
    if (curve == curves.end()) {
      curve = curves.insert(curve, {.name = name, .framework = std::string(kOwnFramework)});
    }
    if (const auto& speed = report.rows[r].speed) {
      double& fastest = curve->speeds[point.devices];
      fastest = std::max(fastest, speed->value);
    }
  }
  return curves;
}

std::string curve_csv(const SpeedCurve& curve) {
  std::string text;
  for (const auto& [devices, speed] : curve.speeds)
    text += fmt::format("{},{:.3f}\n", devices, speed);
  return text;
}

std::string ideal_csv(const SpeedCurve& curve) {
  std::string text;
  for (const auto& [devices, speed] : curve.speeds) {
    const auto& [fewest, base] = *curve.speeds.begin();
    text += fmt::format("{},{:.3f}\n", devices, base * devices / fewest);
  }
  return text;
}

std::optional<std::map<int, double>> parse_curve_csv(std::string_view text) {
  std::map<int, double> speeds;
  bool first = true;
  for (const std::string& line : split(text, '\n')) {
    if (trim(line).empty()) continue;
    const std::vector<std::string> fields = split(line, ',');
    if (fields.size() != 2) return std::nullopt;
    const auto devices = parse_int(trim(fields[0]));
    const auto speed = parse_double(trim(fields[1]));
    const bool names = first && !devices && !speed;
    first = false;
    if (names) continue;
    const bool sound = devices && *devices >= 1 && *devices <= kMostDevices && speed &&
                       std::isfinite(*speed) && *speed > 0;
    if (!sound || !speeds.emplace(static_cast<int>(*devices), *speed).second) return std::nullopt;
  }
  if (speeds.empty()) return std::nullopt;
  return speeds;
}

}  // namespace lockstep::report
