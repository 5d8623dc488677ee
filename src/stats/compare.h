#pragma once

#include <optional>

#include "stats/launches.h"

namespace lockstep::stats {

// What a comparison comes to at the 5 % level. `same`: whatever the difference is, it is too small
// to matter; `undecided`: the launches do not tell which of the others it is.
enum class Verdict { faster, slower, same, undecided };

struct Comparison {
  Estimate ratio;  // of speeds, candidate over baseline
  Verdict verdict = Verdict::undecided;
};

// Where the 95 % interval of the ratio lies. A difference matters from a factor of 1 + min_effect
// on, either way: an interval above all smaller ones is faster, one below them slower, one among
// them the same, and one that reaches from one into the other undecided, as is one launch of each,
// which tells nothing about how much launches differ anyway. So with no minimum effect 5 % of equal
// ones are called different, by the definition of the level, and with one fewer are;
// docs/measurement.md has the measured rates. Nothing where one has no launches.
std::optional<Comparison> compare(const Launches& candidate, const Launches& baseline,
                                  double min_effect = 0);

}  // namespace lockstep::stats
