#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "doctor/examination.h"

namespace lockstep::cli {

// For people: a line for each finding, host by host, with remedies below those that need one.
// Lines are at most `width` characters wide, and never wider than is good to read.
std::string doctor_table(std::span<const doctor::Examination> examinations, bool colour,
                         std::size_t width = SIZE_MAX);

}  // namespace lockstep::cli
