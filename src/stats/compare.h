#pragma once

#include <optional>

#include "stats/launches.h"

namespace lockstep::stats {

// What a comparison comes to at the 5 % level. `undecided`: one launch of each tells nothing about
// how much launches differ anyway.
enum class Verdict { faster, slower, no_difference, undecided };

struct Comparison {
  Estimate ratio;  // of speeds, candidate over baseline
  Verdict verdict = Verdict::undecided;
};

// Whether the candidate's launches are faster or slower than the baseline's: whether the 95 %
// interval of the ratio leaves 1 out. So of equal ones 5 % are called different, by the definition
// of the level; docs/measurement.md has the measured rates. Nothing where one has no launches.
std::optional<Comparison> compare(const Launches& candidate, const Launches& baseline);

}  // namespace lockstep::stats
