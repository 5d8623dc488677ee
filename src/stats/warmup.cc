#include "stats/warmup.h"

#include <algorithm>
#include <numeric>

namespace lockstep::stats {
namespace {

constexpr std::size_t kAgreeing = 3;
constexpr double kAgreement = 0.03;

}  // namespace

bool warmup_over(std::span<const double> step_times, const WarmupLimits& limits) {
  const std::size_t n = step_times.size();
  if (n >= limits.most) return true;
  if (n < limits.fewest) return false;
  if (std::accumulate(step_times.begin(), step_times.end(), 0.0) >= limits.seconds) return true;
  if (n < kAgreeing) return false;
  const auto last = step_times.last(kAgreeing);
  const auto [shortest, longest] = std::minmax_element(last.begin(), last.end());
  return *longest - *shortest <= kAgreement * *shortest;
}

}  // namespace lockstep::stats
