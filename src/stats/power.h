#pragma once

#include <optional>

#include "stats/launches.h"

namespace lockstep::stats {

// How many launches a comparison needs, from how much the quotients of those at hand spread. An
// effect is a factor of 1 + effect, as in `compare`.

// The launches of either side, in all, of whose ratio the interval is narrow enough to decide the
// effect: a difference that exceeds the smallest that matters by a factor of 1 + effect is found in
// four of five cases. At least 2, and perhaps no more than there are: then chance left it
// undecided, or the difference is just about the smallest that matters. Nothing where the launches
// do not show how much they spread (there is only one), or where more than kMostLaunches would be
// needed.
inline constexpr int kMostLaunches = 10'000;
std::optional<int> launches_to_decide(const Estimate& ratio, double effect);

// The effect that the launches at hand decide in the same sense. Nothing for one launch.
std::optional<double> decidable_effect(const Estimate& ratio);

}  // namespace lockstep::stats
