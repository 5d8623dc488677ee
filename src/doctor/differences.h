#pragma once

#include <vector>

#include "doctor/examination.h"

namespace lockstep::doctor {

// How a host compares with the first one that it trains together with: its processor and the
// versions of what it runs. Nothing is said of a host that could not be asked.
std::vector<machine::Finding> differences(const Examination& host, const Examination& first);

}  // namespace lockstep::doctor
