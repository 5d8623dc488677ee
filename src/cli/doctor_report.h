#pragma once

#include <span>
#include <string>

#include "doctor/examination.h"

namespace lockstep::cli {

// For people: a line for each finding, host by host, with remedies below those that need one.
std::string doctor_table(std::span<const doctor::Examination> examinations, bool colour);

}  // namespace lockstep::cli
