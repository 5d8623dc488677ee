#pragma once

#include <cstddef>
#include <span>

namespace lockstep::stats {

// Where a series of step times becomes steady: how many of its first values do not belong with the
// rest, at most half of them; 0 for a series that is steady from the start.
//
// The second half says what steady is (median and robust deviation). Then every step from the first
// on earns the square of its distance from that in deviations, up to 16, and pays 6; the cut is
// where the sum is highest, if it ever reaches 10. A steady step earns 1 on average, so the sum
// falls unless the series starts with steps that are clearly different: a lone outlier behind
// steady steps cannot make up for what they paid. Slow and fast starts count alike: the cut does
// not look for the better mean. Never cuts series of fewer than 12 values, nor deviations below
// 0.5 %. docs/measurement.md has the measured error rates.
std::size_t steady_start(std::span<const double> series);

}  // namespace lockstep::stats
