#pragma once

#include <string>

#include "stats/compare.h"

namespace lockstep::stats {

// Why a ratio of speeds decides nothing at this minimum effect, and what would: "the interval over
// 3 launches is too wide for 2 %; ...".
std::string why_undecided(const Estimate& ratio, double min_effect);

}  // namespace lockstep::stats
