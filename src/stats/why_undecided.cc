#include "stats/why_undecided.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "stats/power.h"

namespace lockstep::stats {
namespace {

// In per cent, rounded up to two digits: with what is printed the verdict is what was promised.
std::string percent_from(double share) {
  const double step = std::pow(10, std::floor(std::log10(100 * share)) - 1);
  return fmt::format("{:.4g}%", std::ceil(100 * share / step) * step);
}

// "some 12 more launches of each would decide it".
std::string launches_wanted(const Estimate& ratio, double min_effect) {
  const auto needed = min_effect > 0 ? launches_to_decide(ratio, min_effect) : std::optional<int>();
  if (!needed) return fmt::format("not even {} launches would decide it", kMostLaunches);
  const int more = *needed - ratio.launches;
  if (more <= 0) return "the difference is just about that: a few more launches may decide it";
  return fmt::format("about {} of each would decide it", counted(more, "more launch"));
}

}  // namespace

std::string why_undecided(const Estimate& ratio, double min_effect) {
  if (!ratio.interval) {
    return "one launch of each does not show how much launches differ: repeat both";
  }
  const auto& [low, high] = *ratio.interval;
  // At this minimum effect all of the interval is the same.
  const double effect = std::max(high, 1 / low) - 1;
  return fmt::format(
      "the interval over {} is too wide for {:g} %: {}; with --min_effect={} it is SAME "
      "now",
      counted(ratio.launches, "launch"), 100 * min_effect, launches_wanted(ratio, min_effect),
      percent_from(effect));
}

}  // namespace lockstep::stats
