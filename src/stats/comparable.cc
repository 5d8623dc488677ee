#include "stats/comparable.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "base/text.h"
#include "spec/names.h"

namespace lockstep::stats {
namespace {

// The load average at the start of a launch counts the launch before it as well: up to the
// processors. Beyond this multiple of them there was other work.
constexpr double kHeavyLoad = 1.5;

// "classes 10 vs 1001".
template <typename Value>
std::string versus(std::string_view what, const Value& candidate, const Value& baseline) {
  const Value unknown{};
  if (candidate == unknown || baseline == unknown || candidate == baseline) return {};
  return fmt::format("{} {} vs {}", what, candidate, baseline);
}

std::string_view input_of(const spec::Point& point) {
  return point.input ? name(*point.input) : std::string_view();
}

}  // namespace

std::string clauses(std::initializer_list<std::string> parts) {
  std::vector<std::string> said;
  for (const std::string& part : parts) {
    if (!part.empty()) said.push_back(part);
  }
  return join(said, "; ");
}

std::string Difference::not_comparable() const {
  const std::string reason = clauses({work, devices});
  return reason.empty() ? reason : "not comparable: " + reason;
}

Difference difference(const MeasuredPoint& candidate, const MeasuredPoint& baseline) {
  const Launch* now = first_launch(candidate.record);
  const Launch* before = first_launch(baseline.record);
  LOCKSTEP_CHECK(now != nullptr && before != nullptr);
  return {.work = clauses({versus("dataset", now->dataset, before->dataset),
                           versus("mode", now->mode, before->mode),
                           versus("classes", now->classes, before->classes),
                           versus("image size", now->image_size, before->image_size)}),
          .configuration =
              clauses({versus("strategy", candidate.point.strategy, baseline.point.strategy),
                       versus("servers", candidate.point.num_ps, baseline.point.num_ps),
                       versus("layout", candidate.point.data_format, baseline.point.data_format),
                       versus("images", input_of(candidate.point), input_of(baseline.point))}),
          .devices = versus("threads per device", candidate.point.threads_per_device,
                            baseline.point.threads_per_device),
          .machines = versus("processors of the machine", now->processors, before->processors)};
}

std::string why_no_numbers(const PointRecord& record, std::string_view name) {
  if (!record.failure.empty()) return fmt::format("failed in {}: {}", name, record.failure);
  if (first_launch(record) == nullptr) return fmt::format("not measured in {}", name);
  return {};
}

std::string under_load(const PointRecord& record, std::string_view name) {
  int launches = 0, loaded = 0;
  const Launch* worst = nullptr;
  for (const auto& launch : record.launches) {
    if (!launch) continue;
    ++launches;
    if (launch->processors == 0) continue;
    if (launch->load_average <= kHeavyLoad * launch->processors) continue;
    ++loaded;
    if (worst == nullptr || launch->load_average > worst->load_average) worst = &*launch;
  }
  if (worst == nullptr) return {};
  const std::string which =
      loaded == launches ? "every launch" : fmt::format("{} of {} launches", loaded, launches);
  return fmt::format("{} started {} under load (load average up to {:.1f} on {})", name, which,
                     worst->load_average, counted(worst->processors, "processor"));
}

}  // namespace lockstep::stats
