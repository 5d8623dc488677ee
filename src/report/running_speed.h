#pragma once

#include <cstdint>
#include <ext/pb_ds/assoc_container.hpp>
#include <ext/pb_ds/tree_policy.hpp>
#include <functional>
#include <optional>
#include <utility>

#include "stats/speed.h"

namespace lockstep::report {

// stats::speed of a series that grows while it is asked. The lines that show it are printed between
// timed steps, so neither a step nor a line may cost more the longer the run is: sums are carried
// along, and a tree that knows its ranks gives any order statistic in logarithmic time.
class RunningSpeed {
 public:
  explicit RunningSpeed(double images_per_step, std::optional<double> ewma = {});

  void add(double step_time);
  std::int64_t steps() const { return static_cast<std::int64_t>(speeds_.size()); }
  stats::Speed speed() const;  // of at least one step

 private:
  // The number of the step tells equal speeds apart.
  using Speeds =
      __gnu_pbds::tree<std::pair<double, std::int64_t>, __gnu_pbds::null_type, std::less<>,
                       __gnu_pbds::rb_tree_tag, __gnu_pbds::tree_order_statistics_node_update>;

  double sorted(std::size_t rank) const { return speeds_.find_by_order(rank)->first; }
  double jitter() const;

  double images_per_step_;
  double decay_;  // of the weight of a step's time, with every further step; 1: the plain mean
  double time_sum_ = 0;
  double weight_sum_ = 0;
  double speed_mean_ = 0;
  double squares_ = 0;  // sum of squared distances from it
  Speeds speeds_;
};

}  // namespace lockstep::report
