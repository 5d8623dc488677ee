#pragma once

#include "tests/equivalence/ranks.h"

namespace lockstep::equivalence {

// As plain tensors.
std::vector<std::vector<float>> initial_parameters(const spec::Trial& trial);

// How far apart two ranks are in the end, as a part of the way that the other one has come.
double relative_distance(const std::vector<std::vector<float>>& start, const Trained& one,
                         const Trained& other);

}  // namespace lockstep::equivalence
