#pragma once

#include <span>
#include <string>

#include "report/sweep_report.h"

namespace lockstep::report {

// What a device of these results is: "2 CPU threads", "as Horovod counts them". Empty: unknown.
std::string device_text(const result::SweepResults& report);

// The same in a sentence: "A device: 2 CPU threads.", or where they differ "A device: 2 CPU threads
// in old, 4 CPU threads in new.".
std::string device_sentence(std::span<const result::SweepResults> reports);

}  // namespace lockstep::report
