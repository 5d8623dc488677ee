#pragma once

#include <string_view>
#include <vector>

namespace lockstep::spec {

// A rate and the epoch from which it applies.
struct EpochPiece {
  double from_epoch;
  double rate;
};

// "LR0;E1;LR1;E2;LR2": LR0, from epoch E1 on LR1, and so on. The first piece is from epoch 0.
// Throws Error(usage) that says what is wrong with it.
std::vector<EpochPiece> parse_piecewise(std::string_view text);

}  // namespace lockstep::spec
