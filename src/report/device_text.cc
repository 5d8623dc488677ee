#include "report/device_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "report/characters.h"

namespace lockstep::report {

std::string device_text(const result::SweepResults& report) {
  for (const stats::PointRecord& record : report.records) {
    const stats::Launch* launch = stats::first_launch(record);
    if (launch != nullptr && launch->imported) {
      return fmt::format("as {} counts them", printable(launch->program));
    }
  }
  if (report.plan.points.empty()) return {};
  const int threads = report.plan.points.front().threads_per_device;
  return threads > 0 ? counted(threads, "CPU thread") : std::string();
}

std::string device_sentence(std::span<const result::SweepResults> reports) {
  std::vector<std::string> texts, named;
  for (const result::SweepResults& report : reports) {
    const std::string text = device_text(report);
    if (text.empty()) continue;
    if (std::ranges::count(texts, text) == 0) texts.push_back(text);
    named.push_back(fmt::format("{} in {}", text, printable(report.id)));
  }
  if (texts.empty()) return {};
  return fmt::format("A device: {}.", texts.size() == 1 ? texts.front() : join(named, ", "));
}

}  // namespace lockstep::report
