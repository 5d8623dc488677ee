#pragma once

#include <string>

#include "result/result.h"

namespace lockstep::report {

// A run in one sentence, behind its lines, for whoever reads along: what run.json says in full.
std::string closing_text(const result::Measured& measured);

}  // namespace lockstep::report
