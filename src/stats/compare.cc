#include "stats/compare.h"

namespace lockstep::stats {
namespace {

Verdict verdict(const Estimate& ratio, double min_effect) {
  if (!ratio.interval) return Verdict::undecided;
  const Interval& interval = *ratio.interval;
  const double most = 1 + min_effect;
  if (interval.low > most) return Verdict::faster;
  if (interval.high < 1 / most) return Verdict::slower;
  if (interval.low >= 1 / most && interval.high <= most) return Verdict::same;
  return Verdict::undecided;
}

}  // namespace

std::optional<Comparison> compare(const Launches& candidate, const Launches& baseline,
                                  double min_effect) {
  const std::optional<Estimate> quotient = ratio(candidate, baseline);
  if (!quotient) return std::nullopt;
  return Comparison{.ratio = *quotient, .verdict = verdict(*quotient, min_effect)};
}

}  // namespace lockstep::stats
