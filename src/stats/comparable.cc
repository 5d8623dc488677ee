#include "stats/comparable.h"

#include <fmt/format.h>

#include "base/text.h"

namespace lockstep::stats {
namespace {

// "10 classes, not 1000".
template <typename Value>
std::string difference(const Value& candidate, const Value& baseline, std::string_view noun) {
  const Value not_told{};
  if (candidate == not_told || baseline == not_told || candidate == baseline) return {};
  return fmt::format("{}{}{}, not {}", candidate, noun.empty() ? "" : " ", noun, baseline);
}

}  // namespace

std::string clauses(std::initializer_list<std::string> parts) {
  std::vector<std::string> said;
  for (const std::string& part : parts) {
    if (!part.empty()) said.push_back(part);
  }
  return join(said, "; ");
}

std::string other_work(const Launch& candidate, const Launch& baseline) {
  return clauses({difference(candidate.dataset, baseline.dataset, ""),
                  difference(candidate.mode, baseline.mode, ""),
                  difference(candidate.classes, baseline.classes, "classes"),
                  difference(candidate.image_size, baseline.image_size, "pixels")});
}

std::string other_devices(const spec::Point& candidate, const spec::Point& baseline) {
  return difference(candidate.threads_per_device, baseline.threads_per_device, "threads a device");
}

std::string why_no_numbers(const PointRecord& record, std::string_view name) {
  if (!record.failure.empty()) return fmt::format("failed in {}: {}", name, record.failure);
  if (first_launch(record) == nullptr) return fmt::format("not measured in {}", name);
  return {};
}

}  // namespace lockstep::stats
