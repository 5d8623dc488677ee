#include "stats/compare.h"

namespace lockstep::stats {
namespace {

Verdict verdict(const Estimate& ratio) {
  if (!ratio.interval) return Verdict::undecided;
  if (ratio.interval->low > 1) return Verdict::faster;
  if (ratio.interval->high < 1) return Verdict::slower;
  return Verdict::no_difference;
}

}  // namespace

std::optional<Comparison> compare(const Launches& candidate, const Launches& baseline) {
  const std::optional<Estimate> quotient = ratio(candidate, baseline);
  if (!quotient) return std::nullopt;
  return Comparison{.ratio = *quotient, .verdict = verdict(*quotient)};
}

}  // namespace lockstep::stats
