#pragma once

#include "spec/trial.h"

namespace lockstep::equivalence {

// The nearest number that has so many bits on the wire, ties to even; beyond the largest: infinity.
// Plain arithmetic, in which the product's own encodings have no part.
float rounded(float value, spec::WirePrecision precision);

}  // namespace lockstep::equivalence
