#pragma once

#include <cstddef>
#include <span>

namespace lockstep::stats {

struct WarmupLimits {
  std::size_t fewest = 2;
  std::size_t most = 10;
  double seconds = 10;  // long steps: end after this time, however much they still differ
};

// Whether the warm-up is over after these steps: the last three agree within 3 %, or a limit is
// reached. The timed steps come afterwards, so the decision never sees what is measured and cannot
// favour a result.
bool warmup_over(std::span<const double> step_times, const WarmupLimits& limits = {});

}  // namespace lockstep::stats
