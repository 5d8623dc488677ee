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
  bool refused = false;                       // there is a counterpart, but they do not compare
  std::string note = {};                      // what differs, does not compare or is undecided, why
};

// The rows of all contenders but for mere limits, those of one network, scaling, batch and number
// of devices beside each other. A row is compared with the first contender's row of the same
// configuration, or with the only one that there is, and the note says what differs. What does
// other work, or had other devices of a machine of the same size, is not compared.
std::vector<SideBySideRow> side_by_side(std::span<const Contender> contenders, double min_effect);

}  // namespace lockstep::stats
