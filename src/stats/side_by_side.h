#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stats/compare.h"
#include "stats/sweep.h"

namespace lockstep::stats {

// One of several results that are put beside each other.
struct Contender {
  std::string_view name;
  Measurements measurements;
  std::span<const RowSummary> rows;  // by rows of the plan
};

struct SideBySideRow {
  std::size_t contender = 0;
  std::size_t row = 0;                        // of its plan
  std::optional<Comparison> with_first = {};  // of its speed with the first contender's
  std::string note = {};                      // what does not compare, and why
};

// The rows of all contenders but for mere limits, those of one network, scaling, batch and number
// of devices beside each other. A row is compared with the first contender's row of the same
// configuration, or with the only one that there is; what does other work is not compared, and a
// note says why.
std::vector<SideBySideRow> side_by_side(std::span<const Contender> contenders, double min_effect);

}  // namespace lockstep::stats
