#pragma once

#include <optional>
#include <span>
#include <vector>

#include "stats/interval.h"

namespace lockstep::stats {

// A positive quantity, one value per launch, at the round of the sweep in which it was measured;
// nothing: that round has none.
using Launches = std::vector<std::optional<double>>;

// An estimate from several launches. All of it is done on logarithms: speeds cannot be negative,
// disturbances act on them as factors, and a ratio of estimates is the estimate of the ratio.
struct Estimate {
  double value = 0;  // geometric mean, but for `mean_estimate`
  std::optional<Interval> interval =
      {};  // 95 %, Student's t over launches; nothing: there is only one
  int launches = 0;

  // Half the interval's width as a share of the value; nothing without an interval.
  std::optional<double> precision() const;
};

// Nothing without launches.
std::optional<Estimate> estimate(const Launches& launches);

// The arithmetic mean, for quantities that may be 0 or negative.
std::optional<Estimate> mean_estimate(const Launches& launches);

// Numerator over denominator: the quotient of their estimates, so that it agrees with both.
// Launches of one round lie close to each other in time, so that a drift of the machine hits both
// and cancels in their quotient: the interval is that of these quotients, and `launches` counts
// them. Where some launches have no partner, it is extended to the quotient of the estimates. No
// interval where fewer than two rounds have both.
std::optional<Estimate> ratio(const Launches& numerator, const Launches& denominator);

// The same, times an exact factor.
Estimate scaled(Estimate estimate, double factor);

// What a share leaves of the whole: 1 - it.
Estimate complement(const Estimate& share);

}  // namespace lockstep::stats
