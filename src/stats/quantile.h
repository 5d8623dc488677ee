#pragma once

#include <span>

namespace lockstep::stats {

// Of at least one value, in any order.
double mean(std::span<const double> values);
double standard_deviation(std::span<const double> values);  // of the population: divided by n
// Linear between the two nearest order statistics; 0 gives the minimum, 1 the maximum.
double quantile(std::span<const double> values, double q);
double median(std::span<const double> values);
// 1.4826 times the median distance from the median: the standard deviation of a normal sample, but
// up to half of the values may be outliers.
double robust_deviation(std::span<const double> values);

}  // namespace lockstep::stats
